// The variable that another thread uses ends with the function, after the attempt to lock or later. Every result is possible but two, and the use after the end.
//@ check --races ignore: bug assertion use-after-free
//@ check --races ignore --strategy exhaustive: bug assertion use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_t t[4]; static atomic_int y, n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int r2, r1;
static void *t3(void *a) { (*(atomic_int *)a)++; return 0; }
static int h(void) {
    atomic_int l = 1;
    pthread_create(&t[3], 0, t3, &l);
    y = 1;
    if (!pthread_mutex_trylock(&m)) return 1;
    y = 2;
    return 2;
}
static void *t1(void *a) { r1 = h(); return 0; }
static void *t2(void *a) { r2 = y; pthread_mutex_trylock(&m); return 0; }
int main(void) {
    pthread_create(&t[1], 0, t1, 0);
    pthread_create(&t[2], 0, t2, 0);
    for (int i = 1; i < 4; i++) pthread_join(t[i], 0);
    if (r1 == 1 && r2 == 0) assert(!"A");
    if (r1 == 1 && r2 == 1) assert(!"B");
    if (r1 == 1 && r2 == 2) assert(!"C");
    if (r1 == 2 && r2 == 0) assert(!"D");
    if (r1 == 2 && r2 == 1) assert(!"E");
    if (r1 == 2 && r2 == 2) assert(!"F");
}
