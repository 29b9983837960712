// Producers and consumers wait for the same condition and wake one waiter only. It may be one of the same kind, which goes back to sleep.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>

#ifndef N
#define N 2 // producers, and as many consumers
#endif


#define SIZE 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], count;

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == SIZE)
        pthread_cond_wait(&changed, &lock); //~ BUG deadlock
    buffer[count++] = item;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int get(void) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock);
    int item = buffer[--count];
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *number) {
    put((int)(long)number);
    return 0;
}

static void *consume(void *unused) {
    get();
    return unused;
}

int main(void) {
    pthread_t threads[2 * N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, produce, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[N + i], 0, consume, 0);
    for (int i = 0; i < 2 * N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
