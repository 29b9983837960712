// Nothing comes between the read and the write of an atomic addition, so no increment gets lost, whichever thread reads from the other.
//@ check: safe
//@ check --strategy sequentialize: bounded
//@ check --cflag=-DPLAIN --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
static int n;
#else
static atomic_int n;
#endif

static void *count(void *arg)
{
    n++;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, count, NULL);
    pthread_create(&u, NULL, count, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(n == 2); //~ BUG assertion
    return 0;
}
