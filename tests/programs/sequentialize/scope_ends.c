// A local variable ends with its block, before its function returns. With OTHER it is one of T', which T uses: leaving a block is no event.
//@ check --races ignore --strategy sequentialize: bug use-after-free
//@ check --races ignore --cflag=-DOTHER --strategy sequentialize: inconclusive message="a local variable of another one"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int *_Atomic place;

static void *writes(void *arg)
{
    x = 1;
#ifdef OTHER
    for (int n = 0; n < 2; n++) {
        int inner = n;
        place = &inner;
    }
#endif
    return arg;
}

static void *uses(void *arg)
{
    int outer = 0, *at = &outer;
#ifdef OTHER
    at = place ? place : at;
#else
    if (x) {
        int inner = 1;
        at = &inner;
    }
#endif
    *at = 2; //~ BUG use-after-free
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, writes, NULL);
    pthread_create(&second, NULL, uses, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
