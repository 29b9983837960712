// Two threads write before the barrier and read behind it, and the third, which does not wait there, reads at any time.
//@ check --facts off: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

static pthread_barrier_t together;
static int left, right, seen, all;

static void *first(void *unused) {
    left = 1;
    pthread_barrier_wait(&together);
    seen = right;
    pthread_barrier_wait(&together);
    left = 2; //~ BUG data-race
    return unused;
}

static void *second(void *unused) {
    right = 1;
    pthread_barrier_wait(&together);
    all = left;
    pthread_barrier_wait(&together);
    right = 2;
    return unused;
}

static void *outside(void *unused) {
    return left ? &all : unused; //~ BUG data-race
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_create(&t3, NULL, outside, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
