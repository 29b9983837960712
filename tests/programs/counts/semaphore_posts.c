// N threads post a semaphore once, and main waits for it N times. What main gets is the same whoever posted: if posts do not depend on each other,
// all that matters is which of main's waits come before which posts: (N + 1)^(N - 1) ways, as many as there are parking functions.
//@ check --cflag=-DN=2: safe executions=3 blocked=0
//@ check --cflag=-DN=3: safe executions=16 blocked=0
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 2
#endif

static sem_t semaphore;

static void *post(void *arg)
{
    sem_post(&semaphore);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    sem_init(&semaphore, 0, 0);
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, post, NULL);
    for (int n = 0; n < N; n++)
        sem_wait(&semaphore);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
