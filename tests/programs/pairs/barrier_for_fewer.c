// Three threads wait at a barrier for two, so one of them goes through it with either of the others: behind it, somebody may still be before it.
//@ check: bug data-race,deadlock
//@ check --facts on: bug data-race,deadlock
#include <pthread.h>

static pthread_barrier_t together;
static int x;

static void *waits(void *unused) {
    pthread_barrier_wait(&together); //~ BUG deadlock
    return unused;
}

static void *writes_before(void *unused) {
    x = 1; //~ BUG data-race
    pthread_barrier_wait(&together); //~ BUG deadlock
    return unused;
}

static void *writes_behind(void *unused) {
    pthread_barrier_wait(&together); //~ BUG deadlock
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_barrier_init(&together, NULL, 2);
    pthread_create(&t1, NULL, waits, NULL);
    pthread_create(&t2, NULL, writes_before, NULL);
    pthread_create(&t3, NULL, writes_behind, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    return 0;
}
