// A `va_list` is memory like any other: two threads copy to the same one, or begin it.
//@ check: bug data-race
//@ check --cflag=-DSTART: bug data-race
#include <pthread.h>
#include <stdarg.h>

static va_list shared;

static void take(int n, ...)
{
#ifdef START
    va_start(shared, n);
    va_end(shared);
#else
    va_list own;
    va_start(own, n);
    va_copy(shared, own);
    va_end(shared);
    va_end(own);
#endif
}

static void *worker(void *arg)
{
    take(1, 2);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    take(1, 3);
    pthread_join(thread, NULL);
    return 0;
}
