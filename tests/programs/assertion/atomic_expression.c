// x++ on an atomic is one operation, x = x + 1 is two.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *once(void *arg)
{
    x++;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, once, NULL);
    x = x + 1;
    pthread_join(thread, NULL);
    assert(x == 2); //~ BUG assertion
    return 0;
}
