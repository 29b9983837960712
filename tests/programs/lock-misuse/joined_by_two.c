// Two threads join a third, and whoever comes second joins a thread that is gone.
//@ check: bug lock-misuse
//@ check --strategy dpor-classic: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg)
{
    return arg;
}

static void *join(void *arg)
{
    pthread_join(worker, NULL); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&one, NULL, join, NULL);
    pthread_create(&other, NULL, join, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
