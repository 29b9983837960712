// Between an operation that others see and an `abort` behind it the others may go on: the reader can find what the writer has written, before the
// writer aborts. The same holds of an assertion that fails without looking at anything, right behind the creation of a thread.
//@ check: bug abort,assertion
//@ check --strategy dpor-classic: bug abort,assertion
//@ check --strategy exhaustive: bug abort,assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *writes(void *arg)
{
    pthread_mutex_lock(&lock);
    n = 1;
    pthread_mutex_unlock(&lock);
    abort(); //~ BUG abort
    return arg;
}

static void *reads(void *arg)
{
    pthread_mutex_lock(&lock);
    assert(n == 0); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, reads, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
