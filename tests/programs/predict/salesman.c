// Travelling salesman, after tsp: the shortest tour so far is compared without the lock and written with it, so that a longer tour can
// replace a shorter one.
//@ predict: bug assertion,atomicity,data-race
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shortest = 100;

static void offer(int tour) {
    if (tour < shortest) { //~ BUG data-race
        pthread_mutex_lock(&lock);
        shortest = tour;
        pthread_mutex_unlock(&lock);
    }
}

static void *first(void *unused) {
    offer(20);
    return unused;
}

static void *second(void *unused) {
    offer(10);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(shortest == 10); //~ BUG assertion
    return 0;
}
