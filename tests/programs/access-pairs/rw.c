// Readers and writers under a monitor. The number of readers inside is changed by those who leave without the lock, so a decrement can get lost, and then
// writers wait for ever. With -DCHECK writers do not wait for readers, and whoever leaves looks whether the number is below zero.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug lost-signal
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1 // rounds of each thread
#endif

#ifdef CHECK
#define READERS_COUNT 0
#else
#define READERS_COUNT 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers, writing, value, sum[2];

static void begin_read(void) {
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&changed, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void end_read(void) {
    readers--;
#ifdef CHECK
    assert(readers >= 0); //~ BUG assertion
#endif
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void begin_write(void) {
    pthread_mutex_lock(&lock);
    while (writing || (READERS_COUNT && readers > 0))
        pthread_cond_wait(&changed, &lock); //~ BUG lost-signal
    writing = 1;
    pthread_mutex_unlock(&lock);
}

static void end_write(void) {
    pthread_mutex_lock(&lock);
    writing = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *reader(void *number) {
    for (int i = 0; i < N; i++) {
        begin_read();
        sum[(long)number] += value;
        end_read();
    }
    return 0;
}

static void *writer(void *unused) {
    for (int i = 0; i < N; i++) {
        begin_write();
        value++;
        end_write();
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    pthread_create(&threads[0], 0, reader, (void *)0);
    pthread_create(&threads[1], 0, reader, (void *)1);
    pthread_create(&threads[2], 0, writer, 0);
    pthread_create(&threads[3], 0, writer, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
