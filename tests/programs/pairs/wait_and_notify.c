// One pair of each kind: o.val is written and read without a lock, both lock o.m, the woken waiter competes with the other
// thread for it, and the wait goes with the broadcast. The broadcast may come first, and then nobody wakes the waiter.
//@ check --races ignore: bug lost-signal
#include <pthread.h>

struct object {
    int val;
    pthread_mutex_t m;
    pthread_cond_t c;
};

static struct object o = {0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void f2(void) {
    o.val = 1;
    pthread_mutex_lock(&o.m);
    pthread_cond_wait(&o.c, &o.m);
    pthread_mutex_unlock(&o.m);
}

static int fb(void) {
    int l = o.val;
    pthread_mutex_lock(&o.m);
    pthread_cond_broadcast(&o.c);
    pthread_mutex_unlock(&o.m);
    return l;
}

static void *f1(void *unused) {
    f2();
    return unused;
}

static void *fa(void *unused) {
    fb();
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, f1, 0);
    pthread_create(&t2, 0, fa, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
