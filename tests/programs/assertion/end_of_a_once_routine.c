// Whether the routine ends with the attempt to lock depends on how that ends. Its end is a step of its own.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_t t[4];
static atomic_int y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int q;
static void *res[4];
static _Thread_local long taken;
static void routine(void) {
    y = 1;
    taken = pthread_mutex_trylock(&m) == 0;
    if (!taken) y = 2;
}
static void *init(void *a) { pthread_once(&once, routine); return (void*)taken; }
static void *other(void *a) { long before = y == 0; pthread_mutex_trylock(&m); return (void*)before; }
static void *look(void *a) { return (void*)(long)(*(volatile int *)&once == 1); }
int main(void) {
    pthread_create(&t[1], 0, init, 0);
    pthread_create(&t[2], 0, other, 0);
    pthread_create(&t[3], 0, look, 0);
    for (int i = 1; i < 4; i++) pthread_join(t[i], &res[i]);
    assert(!(res[1] && res[2] && res[3]));
}
