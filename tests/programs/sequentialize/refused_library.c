// What the library does and a sequential program cannot say is refused, and not left out in silence: the result of what prints, a format that stores, a lock that is
// destroyed while threads run, a destructor, and pointers to functions of the library.
//@ check --races ignore --cflag=-DPRINTS --strategy sequentialize: inconclusive message="the program uses the result of `printf`"
//@ check --races ignore --cflag=-DSTORES --strategy sequentialize: inconclusive message="`printf` stores a number"
//@ check --races ignore --cflag=-DDESTROYS --strategy sequentialize: inconclusive message="is destroyed while threads run"
//@ check --races ignore --cflag=-DLEAVES --strategy sequentialize: inconclusive message="the program has a destructor"
//@ check --races ignore --cflag=-DCALLS --strategy sequentialize: inconclusive message="a pointer calls a function of the library"
//@ check --races ignore --cflag=-DPRINTS: bug assertion
//@ check --races ignore --cflag=-DSTORES: bug assertion
//@ check --races ignore --cflag=-DDESTROYS: bug lock-misuse
//@ check --races ignore --cflag=-DLEAVES: bug assertion
//@ check --races ignore --cflag=-DCALLS: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int volatile x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *(*volatile allocate)(size_t) = malloc;

#ifdef LEAVES
__attribute__((destructor)) static void leave(void)
{
    assert(x == 0);
}
#endif

static void *writes(void *arg)
{
    x = 1;
    return arg;
}

static void *reads(void *arg)
{
#if defined PRINTS
    if (printf("x\n") > 0)
        assert(x == 0);
#elif defined STORES
    int n = 0;
    printf("x%n\n", &n);
    assert(n == 0 || x == 0);
#elif defined DESTROYS
    if (x)
        pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m); //~ BUG lock-misuse
    pthread_mutex_unlock(&m);
#elif defined CALLS
    int *copy = allocate(sizeof *copy);
    *copy = x;
    assert(*copy == 0);
#endif
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, writes, NULL);
    pthread_create(&second, NULL, reads, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
