// mtx_unlock by a thread that does not hold the mutex, though another one does.
//@ check --strategy exhaustive: bug lock-misuse
#include <threads.h>

static mtx_t lock;

static int release(void *arg)
{
    (void)arg;
    mtx_unlock(&lock); //~ BUG lock-misuse
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&lock, mtx_plain);
    mtx_lock(&lock);
    thrd_create(&thread, release, NULL);
    thrd_join(thread, NULL);
    mtx_unlock(&lock);
    return 0;
}
