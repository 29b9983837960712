// A thread ends while it holds a robust mutex. Who tries to take it in a loop gets it then.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void *takes_and_ends(void *arg)
{
    pthread_mutex_lock(&mutex);
    return arg;
}

static void *tries(void *arg)
{
    int error;
    do
        error = pthread_mutex_trylock(&mutex);
    while (error == EBUSY);
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&mutex);
    else
        assert(error == 0);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&threads[0], NULL, takes_and_ends, NULL);
    pthread_create(&threads[1], NULL, tries, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
