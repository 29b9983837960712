// C11 condition variable, wait in a loop, as it should be.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int state;

static int advance(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    state = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, advance, NULL);
    mtx_lock(&lock);
    while (state == 0)
        cnd_wait(&changed, &lock);
    assert(state == 1);
    mtx_unlock(&lock);
    thrd_join(thread, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
