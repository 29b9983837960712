// pthread_cond_signal wakes any one waiter, not the one that has waited longest. The baton makes a wait before b.
//@ check --strategy random --runs 500: bug assertion
//@ check --strategy pos --runs 500: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t waiting;
static int tokens, first;

static void *take(void *arg)
{
    pthread_mutex_lock(&lock);
    sem_post(&waiting);
    while (tokens == 0)
        pthread_cond_wait(&cond, &lock);
    tokens--;
    if (first == 0)
        first = (int)(intptr_t)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void give(void)
{
    pthread_mutex_lock(&lock);
    tokens++;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t a, b;
    sem_init(&waiting, 0, 0);
    pthread_create(&a, NULL, take, (void *)1);
    sem_wait(&waiting);
    pthread_create(&b, NULL, take, (void *)2);
    sem_wait(&waiting);
    give();
    give();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(first == 1); //~ BUG assertion
    return 0;
}
