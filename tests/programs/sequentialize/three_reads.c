// What one of the others writes must not come between a write of another one and its own read of that: if `second` writes x while `first` has not yet
// set z, then `first` reads 2 and leaves y alone. Without that condition the reader can see all the rest.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
//@ check --races ignore --cflag=-DWEAK: bug assertion
//@ check --races ignore --cflag=-DWEAK --strategy sequentialize --max-interferences 2: bounded
//@ check --races ignore --cflag=-DWEAK --strategy sequentialize --max-interferences 3: bug assertion message="k = 3, in 3 reads of thread 3"
#include <assert.h>
#include <pthread.h>

static int volatile x, y, z;

static void *first(void *arg)
{
    x = 1;
    z = 1;
    if (x == 1)
        y = 1;
    return arg;
}

static void *second(void *arg)
{
    x = 2;
    return arg;
}

static void *reader(void *arg)
{
#ifdef WEAK
    int a = x, b = x, c = 0, d = y;
#else
    int a = x, b = x, c = z, d = y;
#endif
    assert(!(a == 1 && b == 2 && c == 0 && d == 1)); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t f, s, r;
    pthread_create(&f, NULL, first, NULL);
    pthread_create(&s, NULL, second, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(f, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    return 0;
}
