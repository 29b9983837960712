// A signal has two who wait for it. In the run it wakes the one that does nothing more; the other, woken instead, comes between `ready` and `total`.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int ready, total;

static void *idle(void *unused) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&given, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&given, &lock);
    total = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *give(void *unused) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    printf("%d\n", total);
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, idle, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_create(&c, NULL, give, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
