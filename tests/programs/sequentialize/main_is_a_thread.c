// One thread is created: main is the other one, T in one sequential program and T' in the other.
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="seen == 0"
//@ check --races ignore --cflag=-DTHREAD_FAILS --strategy sequentialize --max-interferences 1: bug assertion message="seen != 2"
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *work(void *arg)
{
    x = 1;
#ifdef THREAD_FAILS
    int seen = y;
    assert(seen != 2);
#endif
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    y = 2;
#ifndef THREAD_FAILS
    int seen = x;
    assert(seen == 0);
#endif
    pthread_join(t, NULL);
    return 0;
}
