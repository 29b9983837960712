// Three try for locks, and two of them go on to lock what they have, which fails. The third takes both locks one after the other, and main takes the first
// one, too. Who fails must not keep the others from what they do without it, in any order.
//@ check: bug deadlock,lock-misuse
//@ check --strategy dpor-classic: bug deadlock,lock-misuse
//@ check --strategy exhaustive: bug deadlock,lock-misuse
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *takes_the_first_and_waits(void *arg)
{
    if (pthread_mutex_trylock(&first) == 0) {
        pthread_mutex_lock(&second);
        pthread_cond_wait(&never, &second); //~ BUG deadlock
        pthread_mutex_unlock(&second);
        pthread_mutex_unlock(&first);
    }
    return arg;
}

static void *takes_the_second_twice(void *arg)
{
    if (pthread_mutex_trylock(&second) == 0)
        pthread_mutex_lock(&second); //~ BUG lock-misuse
    return arg;
}

static void *takes_both(void *arg)
{
    if (pthread_mutex_trylock(&first) == 0) {
        pthread_mutex_lock(&second);
        pthread_mutex_unlock(&second);
        pthread_mutex_unlock(&first);
    }
    return arg;
}

int main(void)
{
    pthread_t waits, relocks, other;
    pthread_create(&waits, NULL, takes_the_first_and_waits, NULL);
    pthread_create(&relocks, NULL, takes_the_second_twice, NULL);
    if (pthread_mutex_trylock(&second) == 0)
        pthread_mutex_unlock(&second);
    pthread_create(&other, NULL, takes_both, NULL);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_join(waits, NULL);
    pthread_join(relocks, NULL);
    return 0;
}
