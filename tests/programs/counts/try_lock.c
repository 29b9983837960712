// N threads try a lock once each and go on without it if it is held. Those s who get it do so in one of s! orders, and each of the others fails while one of
// these holds it: the sum over s from 1 of C(N, s) * s! * s^(N - s) traces.
//@ check --cflag=-DN=2: safe executions=4 blocked=0
//@ check --cflag=-DN=3: safe executions=21 blocked=0
//@ check --cflag=-DN=4: safe executions=148 blocked=0
#include <pthread.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int successes;

static void *try_it(void *arg)
{
    if (pthread_mutex_trylock(&lock) == 0) {
        successes++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, try_it, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return successes == 0;
}
