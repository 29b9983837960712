// The two threads deadlock at their beginning, and count up together afterwards. A search that goes back from the end of its first execution has millions of
// orders of the counting before it. The sampled executions in between come upon the deadlock at once.
//@ check --stop-at-first: bug deadlock
//@ check --runs 20000: bounded
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count;

static void counts(void)
{
    for (int i = 0; i < 14; i++)
        atomic_store(&count, atomic_load(&count) + 1);
}

static void *first(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG deadlock
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    counts();
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    counts();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
