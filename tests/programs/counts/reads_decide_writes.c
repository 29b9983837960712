// Main takes a lock. One thread takes it if it reads zero. Another writes if it reads what was written, reads again, and takes the lock if
// that was zero. A third writes. Before or after its write, by both reads of the second thread and the read of the first:
// both, then the lock: with the first thread 6 orders of three, without it 2; one on each side: 2 and 1; none, so that it writes: 2, and 1 with
// the read of the first thread before that write and 1 with it after. 15 traces.
//@ check: safe executions=15 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *take_if_zero(void *arg)
{
    if (!a)
        take();
    return arg;
}

static void *write_or_take(void *arg)
{
    if (a)
        a = 2;
    if (!a)
        take();
    return arg;
}

static void *write_it(void *arg)
{
    a = 2;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, take_if_zero, NULL);
    pthread_create(&threads[1], NULL, write_or_take, NULL);
    pthread_create(&threads[2], NULL, write_it, NULL);
    take();
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
