// The waiter is woken by the first signal. What the second thread wrote before its own signal, which came after that, is not ordered before what the waiter reads,
// although the waiter gets its mutex back only later.
//@ check: bug data-race
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready, data;
static atomic_int is_woken;

static void *second(void *arg)
{
    if (atomic_load_explicit(&is_woken, memory_order_relaxed)) {
        data = 1; //~ BUG data-race
        pthread_cond_signal(&condition);
    }
    return arg;
}

static void *first(void *arg)
{
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    atomic_store_explicit(&is_woken, 1, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutex_lock(&mutex);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    while (!is_ready)
        pthread_cond_wait(&condition, &mutex);
    int seen = data;
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return seen & 0;
}
