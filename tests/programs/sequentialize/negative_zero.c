// The absolute value of -0.0 is 0.0.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

static double x = -0.0;

static void *writer(void *arg)
{
    x = -0.0;
    return arg;
}

static void *reader(void *arg)
{
    assert(1 / __builtin_fabs(x) > 0);
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
