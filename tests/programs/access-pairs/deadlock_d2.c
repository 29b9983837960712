// Two objects whose methods take the own lock and then that of the other, called from both sides.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>

#ifndef N
#define N 1 // rounds
#endif


struct object {
    pthread_mutex_t lock;
    int value;
};

static struct object left = {PTHREAD_MUTEX_INITIALIZER, 0}, right = {PTHREAD_MUTEX_INITIALIZER, 0};

static void set(struct object *o, int value) {
    pthread_mutex_lock(&o->lock); //~ BUG deadlock
    o->value = value;
    pthread_mutex_unlock(&o->lock);
}

static void swap(struct object *from, struct object *to) {
    pthread_mutex_lock(&from->lock);
    set(to, from->value + 1);
    pthread_mutex_unlock(&from->lock);
}

static void *one(void *unused) {
    for (int i = 0; i < N; i++)
        swap(&left, &right);
    return unused;
}

static void *two(void *unused) {
    for (int i = 0; i < N; i++)
        swap(&right, &left);
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
