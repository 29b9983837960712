// Each philosopher takes the fork on the left and then that on the right.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>

#ifndef N
#define N 5 // philosophers
#endif


static pthread_mutex_t forks[N];
static int meals[N];

static void *philosopher(void *number) {
    int me = (int)(long)number;
    pthread_mutex_lock(&forks[me]);
    pthread_mutex_lock(&forks[(me + 1) % N]); //~ BUG deadlock
    meals[me]++;
    pthread_mutex_unlock(&forks[(me + 1) % N]);
    pthread_mutex_unlock(&forks[me]);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
