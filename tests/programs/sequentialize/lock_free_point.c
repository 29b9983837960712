// T' holds `l` from before its write of 1 until after it has taken `m`, which T holds while it reads. The paper lets T' run on to the next point where it holds
// no lock, and finds no order for what it has logged by then. T' may stop anywhere after its last paired write: reading 1 is real.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>

static int x;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int a = x;
    assert(a != 1); //~ BUG assertion
    pthread_mutex_unlock(&m);
    return arg;
}

static void *writer(void *arg)
{
    pthread_mutex_lock(&l);
    x = 1;
    x = 2;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&l);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
