// T sleeps until T' signals. T' signals once too early, with x = 1, and again with x = 2. T is woken by either, and reads what is there.
// A signal is no read: reading 1 takes one source, as does reading 2.
//@ check --races ignore: bug assertion,lost-signal
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *sleeper(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    int a = x;
    pthread_mutex_unlock(&m);
    assert(a != 0);
    assert(a != 1); //~ BUG assertion
    return arg;
}

static void *waker(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        pthread_mutex_lock(&m);
        x = i;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, sleeper, NULL);
    pthread_create(&u, NULL, waker, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
