// A semaphore that starts at one is a lock; post and wait order the plain accesses.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t sem;
static int counter;

static void *increment(void *arg)
{
    (void)arg;
    sem_wait(&sem);
    counter++;
    sem_post(&sem);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int value;
    sem_init(&sem, 0, 1);
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    sem_getvalue(&sem, &value);
    assert(value == 1);
    sem_destroy(&sem);
    return 0;
}
