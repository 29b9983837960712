// Two threads create N others each, and then all take one lock: 2N + 2 times it is taken, in any order. Who is created comes before nobody's lock.
// Threads that threads create are named alike by all workers.
//@ check --cflag=-DN=1: safe executions=24 blocked=0
//@ check --cflag=-DN=2: safe executions=720 blocked=0
//@ check --cflag=-DN=3 --jobs 2: safe executions=40320 blocked=0
#include <pthread.h>

#ifndef N
#define N 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void *take(void *arg)
{
    pthread_mutex_lock(&lock);
    taken++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *create_and_take(void *arg)
{
    pthread_t created[N];
    for (int n = 0; n < N; n++)
        pthread_create(&created[n], NULL, take, NULL);
    take(NULL);
    for (int n = 0; n < N; n++)
        pthread_join(created[n], NULL);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, create_and_take, NULL);
    pthread_create(&second, NULL, create_and_take, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return taken == 2 * N + 2 ? 0 : 1;
}
