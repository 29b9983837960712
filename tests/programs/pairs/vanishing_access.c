// Figure 2.7 of the thesis: the write in the branch exists only if the other thread's last write came first. Three orders: the read of b comes
// before both writes, between them, or after both, and then the write of a comes after the read of it in any case.
//@ check --races ignore --strategy value-schedule: safe executions=3
//@ check --races ignore: safe executions=3
#include <pthread.h>

static int a, b, s;

static void *one(void *unused) {
    b = 1;
    s = a;
    b = -1;
    return unused;
}

static void *two(void *unused) {
    if (b < 0)
        a = 0;
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
