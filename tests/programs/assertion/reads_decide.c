// It fails in one trace of many: the other thread takes the lock before main, and the reader has read nothing both times. What the reader
// does after its reads decides which orders of the locks there are.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int n_taken, of_main;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(void)
{
    pthread_mutex_lock(&lock);
    int nth = n_taken++;
    pthread_mutex_unlock(&lock);
    return nth;
}

static void *take_it(void *arg)
{
    take();
    return arg;
}

static void *write_it(void *arg)
{
    x = 1;
    return arg;
}

static void *read_it(void *arg)
{
    atomic_load(&x);
    if (x)
        take();
    return arg;
}

int main(void)
{
    pthread_t taker, writer, reader;
    pthread_create(&taker, NULL, take_it, NULL);
    pthread_create(&writer, NULL, write_it, NULL);
    pthread_create(&reader, NULL, read_it, NULL);
    of_main = take();
    pthread_join(taker, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    assert(n_taken == 3 || of_main == 0); //~ BUG assertion
    return 0;
}
