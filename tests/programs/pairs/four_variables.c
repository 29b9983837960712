// Four variables: v1 is written in a branch that is never taken, elements of v2 differ, v3 is always locked, and v4 may be
// zero when the other thread divides by it. `id` comes from memory, so that the elements are not known.
//@ check --races ignore --strategy value-schedule: bug division-by-zero executions=4
//@ check --races ignore: bug division-by-zero executions=4
#include <pthread.h>

struct T {
    int val;
    pthread_mutex_t m;
};

static struct T v1, v3, v4 = {1};
static int v2[20];
static const int ids[2] = {1, 2};

static void *one(void *arg) {
    int id = *(const int *)arg;
    int local = v1.val;
    local += v2[id];
    pthread_mutex_lock(&v3.m);
    v3.val = 1;
    pthread_mutex_unlock(&v3.m);
    int q = local / v4.val; //~ BUG division-by-zero
    return (void *)(long)q;
}

static void *two(void *arg) {
    int id = *(const int *)arg;
    int local = 0;
    if (local > id)
        v1.val = 3;
    v2[id] = 2;
    pthread_mutex_lock(&v3.m);
    v3.val = 1;
    pthread_mutex_unlock(&v3.m);
    v4.val *= local;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, (void *)&ids[0]);
    pthread_create(&t2, 0, two, (void *)&ids[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
