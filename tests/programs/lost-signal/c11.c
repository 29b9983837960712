// C11: the broadcast finds nobody waiting, the later waiter has no predicate to look at.
//@ check --strategy exhaustive: bug lost-signal
#include <threads.h>

static mtx_t lock;
static cnd_t cond;

static int notify(void *arg)
{
    (void)arg;
    cnd_broadcast(&cond);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&lock, mtx_plain);
    cnd_init(&cond);
    thrd_create(&thread, notify, NULL);
    mtx_lock(&lock);
    cnd_wait(&cond, &lock); //~ BUG lost-signal
    mtx_unlock(&lock);
    thrd_join(thread, NULL);
    return 0;
}
