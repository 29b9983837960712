// A structure is copied at once, as the machine does it: reader and writer see all of it or nothing. So nothing is torn, and one source is
// enough to read all four numbers.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
//@ check --races ignore --cflag=-DTORN: safe
//@ check --races ignore --cflag=-DTORN --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

struct four {
    long n[4];
};
static struct four shared, one = {{1, 1, 1, 1}};

static long sum(struct four *of)
{
    long sum = 0;
    for (int i = 0; i < 4; i++)
        sum += of->n[i];
    return sum;
}

static void *writer(void *arg)
{
    shared = one;
    return arg;
}

static void *reader(void *arg)
{
    struct four local = shared;
    long s = sum(&local);
#ifdef TORN
    assert(s == 0 || s == 4);
#else
    assert(s != 4); //~ BUG assertion
#endif
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
