// Functions may be called as the runtime of a sequentialized program calls its own.
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>

static int x;

static int call_1_1(int add)
{
    return x + add;
}

static int gs_fail(void)
{
    return x;
}

static void *writer(void *arg)
{
    x = call_1_1(1);
    return arg;
}

static void *reader(void *arg)
{
    assert(gs_fail() == 0); //~ BUG assertion
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
