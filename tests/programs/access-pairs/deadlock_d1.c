// Two threads take two locks in opposite orders.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>

#ifndef N
#define N 1 // rounds
#endif


static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *forward(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&a);
        x++;
        pthread_mutex_lock(&b); //~ BUG deadlock
        y++;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return unused;
}

static void *backward(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&b);
        y--;
        pthread_mutex_lock(&a); //~ BUG deadlock
        x--;
        pthread_mutex_unlock(&a);
        pthread_mutex_unlock(&b);
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, forward, 0);
    pthread_create(&two, 0, backward, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
