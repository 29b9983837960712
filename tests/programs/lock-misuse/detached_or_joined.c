// A worker is joined by main and detached by another: if that comes first, main joins a detached thread.
//@ check: bug lock-misuse
//@ check --strategy dpor-classic: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

static void *detach(void *arg)
{
    pthread_detach(*(pthread_t *)arg);
    return NULL;
}

int main(void)
{
    pthread_t worker, other;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&other, NULL, detach, &worker);
    pthread_join(worker, NULL); //~ BUG lock-misuse
    pthread_join(other, NULL);
    return 0;
}
