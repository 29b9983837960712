// The other threads keep each other out, too: `second` cannot write y while `first` is in its section. Where they use two locks, it can.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
//@ check --races ignore --cflag=-DAPART: bug assertion
//@ check --races ignore --cflag=-DAPART --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --cflag=-DAPART --strategy sequentialize --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>

static int volatile x, y;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    pthread_mutex_lock(&l);
    x = 1;
    x = 2;
    pthread_mutex_unlock(&l);
    return arg;
}

static void *second(void *arg)
{
#ifdef APART
    pthread_mutex_t *const lock = &m;
#else
    pthread_mutex_t *const lock = &l;
#endif
    pthread_mutex_lock(lock);
    y = 1;
    pthread_mutex_unlock(lock);
    return arg;
}

static void *reader(void *arg)
{
    (void)m;
    int a = x, b = y, c = y, d = x;
    assert(!(a == 1 && b == 0 && c == 1 && d == 1)); //~ BUG assertion
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
