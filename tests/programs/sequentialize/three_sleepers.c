// A signal wakes one of two sleepers, whichever; a broadcast wakes both. The reader takes the flags that they set, and none of them alone with a broadcast.
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="k = 1"
//@ check --races ignore --cflag=-DALL --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --cflag=-DALL --strategy sequentialize --max-interferences 2: bug assertion message="k = 2"
#include <assert.h>
#include <pthread.h>

static int volatile x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    x = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    y = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *waker(void *arg)
{
#ifdef ALL
    pthread_cond_broadcast(&c);
#else
    pthread_cond_signal(&c);
#endif
    int a = x, b = y;
#ifdef ALL
    assert(!(a && b));
#else
    (void)a;
    assert(!b);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert(!(a && y)); // one signal wakes one
#endif
    return arg;
}

int main(void)
{
    pthread_t f, s, w;
    pthread_create(&f, NULL, first, NULL);
    pthread_create(&s, NULL, second, NULL);
    pthread_create(&w, NULL, waker, NULL);
    pthread_join(f, NULL);
    pthread_join(s, NULL);
    pthread_join(w, NULL);
    return 0;
}
