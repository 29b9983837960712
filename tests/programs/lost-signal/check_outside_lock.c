// The predicate is checked before the mutex is taken: flag and signal may come between the check and the wait.
//@ check --strategy exhaustive: bug lost-signal
//@ check --strategy random --runs 500: bug lost-signal
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *produce(void *arg)
{
    pthread_mutex_lock(&lock);
    atomic_store(&ready, 1);
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&cond, &lock); //~ BUG lost-signal
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
