// As four_variables.c, but the elements of v2 are constants: the accesses to them are no pair.
//@ check --races ignore: bug division-by-zero executions=4
#include <pthread.h>

struct T {
    int val;
    pthread_mutex_t m;
};

static struct T v1, v3, v4 = {1};
static int v2[20];

#define ID 1
static void *one(void *arg) {
    (void)arg;
    int local = v1.val;
    local += v2[ID];
    pthread_mutex_lock(&v3.m);
    v3.val = 1;
    pthread_mutex_unlock(&v3.m);
    int q = local / v4.val; //~ BUG division-by-zero
    return (void *)(long)q;
}

#undef ID
#define ID 2
static void *two(void *arg) {
    (void)arg;
    int local = 0;
    if (local > ID)
        v1.val = 3;
    v2[ID] = 2;
    pthread_mutex_lock(&v3.m);
    v3.val = 1;
    pthread_mutex_unlock(&v3.m);
    v4.val *= local;
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
