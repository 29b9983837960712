// Figure 5.20 of the thesis: a write and two reads of other threads. What matters is which of the reads come before the write:
// none, the first, the second, or both.
//@ check --races ignore --strategy value-schedule: safe executions=4
//@ check --races ignore: safe executions=4
#include <pthread.h>

static int x, a, b;

static void *one(void *unused) {
    x = 1;
    return unused;
}

static void *two(void *unused) {
    a = x;
    return unused;
}

static void *three(void *unused) {
    b = x;
    return unused;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_create(&t3, 0, three, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
