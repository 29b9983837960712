// Two variables that belong together are set one after the other, and looked at in between.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 1 // threads that set
#endif


static volatile int a, b;

static void *set(void *unused) {
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused) {
    int x = a, y = b;
    assert((x == 0 && y == 0) || (x == 1 && y == -1)); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t threads[N + 1];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, set, 0);
    pthread_create(&threads[N], 0, check, 0);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
