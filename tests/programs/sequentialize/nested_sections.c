// Atomic sections nest: the inner one does not end the outer one, so nobody sees x == 1.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int x;

static void __VERIFIER_atomic_increment(void)
{
    x++;
}

static void *writer(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_increment();
    x++;
    __VERIFIER_atomic_end();
    return arg;
}

static void *reader(void *arg)
{
    int seen = x;
    assert(seen != 1);
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
