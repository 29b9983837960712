// Of two threads that detach a third, the second is told so.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_t worker;

static void *work(void *arg)
{
    return arg;
}

static void *detach(void *arg)
{
    (void)arg;
    return (void *)(long)pthread_detach(worker);
}

int main(void)
{
    pthread_t one, other;
    void *first, *second;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&one, NULL, detach, NULL);
    pthread_create(&other, NULL, detach, NULL);
    pthread_join(one, &first);
    pthread_join(other, &second);
    assert(second != NULL); //~ BUG assertion
    assert(first != NULL);
    return 0;
}
