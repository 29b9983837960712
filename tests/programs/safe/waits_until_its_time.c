// A wait that ends with its time ends after it: who looks at the clock then sees no earlier time, and a loop that waits until a time comes to its end.
//@ check -- 0: safe
//@ check --strategy exhaustive -- 0: safe
//@ check --strategy unfold -- 0: safe
//@ check -- 1: safe
//@ check -- 2: safe
//@ check -- 3: safe
//@ check --strategy exhaustive -- 3: safe
//@ native -- 1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec begin;

static int is_over(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > begin.tv_sec || (now.tv_sec == begin.tv_sec && now.tv_nsec >= begin.tv_nsec + 1000000);
}

static void *locks(void *unused) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(int argc, char **argv) {
    clock_gettime(CLOCK_REALTIME, &begin);
    begin.tv_nsec %= 900000000;
    struct timespec until = begin;
    until.tv_nsec += 1000000;
    sem_t none;
    pthread_t thread;
    int status = 0;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0:
        pthread_create(&thread, 0, locks, 0);
        pthread_mutex_lock(&mutex);
        while (!status)
            status = pthread_cond_timedwait(&condition, &mutex, &until);
        pthread_mutex_unlock(&mutex);
        assert(status == ETIMEDOUT && is_over());
        pthread_join(thread, 0);
        break;
    case 1:
        sem_init(&none, 0, 0);
        assert(sem_timedwait(&none, &until) == -1 && errno == ETIMEDOUT);
        assert(is_over());
        break;
    case 2:
        pthread_mutex_lock(&mutex);
        do
            pthread_cond_timedwait(&condition, &mutex, &until);
        while (!is_over());
        pthread_mutex_unlock(&mutex);
        break;
    case 3:
        pthread_create(&thread, 0, locks, 0);
        if (pthread_rwlock_timedwrlock(&lock, &until))
            assert(is_over());
        else
            pthread_rwlock_unlock(&lock);
        pthread_join(thread, 0);
        break;
    }
    return 0;
}
