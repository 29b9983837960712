// Timed operations refuse a time that is none.
//@ check: safe
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
int main(void) {
    struct timespec bad[] = {{1, 1000000000}, {1, -1}};
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    sem_t sem;
    sem_init(&sem, 0, 0);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        assert(pthread_cond_timedwait(&cond, &mutex, &bad[i]) == EINVAL);
        pthread_mutex_unlock(&mutex);
        assert(pthread_rwlock_timedrdlock(&lock, &bad[i]) == EINVAL);
        assert(pthread_rwlock_timedwrlock(&lock, &bad[i]) == EINVAL);
        assert(sem_timedwait(&sem, &bad[i]) == -1 && errno == EINVAL);
        // A free mutex is taken without a look at the time.
        assert(pthread_mutex_timedlock(&mutex, &bad[i]) == 0);
        pthread_mutex_unlock(&mutex);
    }
    puts("done");
    return 0;
}
