// The waiter does everything right, the notifier does not take the mutex: it slips between the waiter's check and its wait.
//@ check --strategy exhaustive: bug lost-signal
//@ check --strategy random --runs 1000: bug lost-signal
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *produce(void *arg)
{
    atomic_store(&ready, 1);
    pthread_cond_signal(&cond);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&lock);
    while (!atomic_load(&ready))
        pthread_cond_wait(&cond, &lock); //~ BUG lost-signal
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
