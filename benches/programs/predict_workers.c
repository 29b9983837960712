// Workers that take jobs from a queue and add up results under locks, with one careless look at the total. With 66 workers and 43 turns about 34,000
// events, for `gordian predict`.
#include <pthread.h>
#include <stdio.h>

#ifndef WORKERS
#define WORKERS 66
#endif
#ifndef TURNS
#define TURNS 43
#endif

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER, sum_lock = PTHREAD_MUTEX_INITIALIZER;
static int next_job, total, done[WORKERS];
static int own[WORKERS];

static void *work(void *argument) {
    int me = (int)(long)argument;
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&queue_lock);
        int job = next_job;
        next_job = job + 1;
        pthread_mutex_unlock(&queue_lock);
        own[me] += 2;
        own[me] -= 1;
        pthread_mutex_lock(&sum_lock);
        total += job & 1;
        done[me]++;
        pthread_mutex_unlock(&sum_lock);
    }
    if (me == 0)
        printf("so far %d\n", total); // without the lock
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS];
    for (long n = 0; n < WORKERS; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < WORKERS; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
