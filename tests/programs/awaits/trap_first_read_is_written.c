// A thread reads its argument first of all, which main changes after having created it. The read is no private one.
//@ check: bug assertion data-race
//@ check --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>

static int number = 1;

static void *reads(void *arg)
{
    int seen = *(int *)arg;
    assert(seen == 1); //~ BUG assertion
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reads, &number);
    number = 2;
    pthread_join(thread, NULL);
    return 0;
}
