// A buffer has a lock, and the semaphores in it have locks of their own. Who waits for a semaphore keeps the lock of the buffer, so nobody
// can get in to end the wait.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>

#ifndef N
#define N 1 // items
#endif


struct semaphore {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int value;
};

static pthread_mutex_t buffer = PTHREAD_MUTEX_INITIALIZER;
static struct semaphore full = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct semaphore empty = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1};
static int item;

static void down(struct semaphore *s) {
    pthread_mutex_lock(&s->lock);
    while (s->value == 0)
        pthread_cond_wait(&s->changed, &s->lock);
    s->value--;
    pthread_mutex_unlock(&s->lock);
}

static void up(struct semaphore *s) {
    pthread_mutex_lock(&s->lock);
    s->value++;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *put(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&buffer);
        down(&empty);
        item = i;
        up(&full);
        pthread_mutex_unlock(&buffer);
    }
    return unused;
}

static void *take(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&buffer);
        down(&full);
        item = -1;
        up(&empty);
        pthread_mutex_unlock(&buffer);
    }
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, put, 0);
    pthread_create(&t2, 0, take, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
