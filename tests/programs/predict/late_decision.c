// A decision that other questions made keep its way: whether z can be written while it is, and whether it can go the other way, are two questions.
//@ predict: bug assertion,data-race
#include <assert.h>
#include <pthread.h>

static int x, z;

static void *sets(void *unused) {
    x = 1; //~ BUG data-race
    return unused;
}

static void *reads(void *unused) {
    int seen = x;
    assert(seen == 1); //~ BUG assertion
    z = 1;
    return unused;
}

static void *writes(void *unused) {
    z = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, sets, NULL);
    pthread_create(&threads[1], NULL, reads, NULL);
    pthread_create(&threads[2], NULL, writes, NULL);
    for (int nth = 0; nth < 3; nth++)
        pthread_join(threads[nth], NULL);
    return 0;
}
