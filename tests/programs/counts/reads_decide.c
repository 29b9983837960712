// Main and one thread take a lock; another writes; a third reads twice and takes the lock only if it has read what was written. Both
// reads after the write: the three take the lock in any order, 6 traces. One read on each side: 6 again. Both before it: 2.
//@ check: safe executions=14 blocked=0
//@ check --jobs 2: safe executions=14 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
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
    take();
    pthread_join(taker, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
