// One tries for two locks, and with both of them locks one again, which fails. Main waits for another thread before it takes the first lock; that it
// could have taken it before can only be planned together with the end of that other thread.
//@ check: bug lock-misuse
//@ check --jobs 2: bug lock-misuse
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static sem_t units;

static void *takes_both_and_one_again(void *arg)
{
    if (pthread_mutex_trylock(&first) == 0) {
        if (pthread_mutex_trylock(&second) == 0)
            pthread_mutex_lock(&second); //~ BUG lock-misuse
        pthread_mutex_unlock(&first);
    }
    return arg;
}

static void *takes_a_unit(void *arg)
{
    sem_wait(&units);
    sem_post(&units);
    return arg;
}

int main(void)
{
    pthread_t relocks, other;
    sem_init(&units, 0, 1);
    pthread_create(&relocks, NULL, takes_both_and_one_again, NULL);
    pthread_create(&other, NULL, takes_a_unit, NULL);
    pthread_join(other, NULL);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    return 0;
}
