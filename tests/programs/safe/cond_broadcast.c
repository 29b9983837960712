// One broadcast frees both waiters, whichever of the three threads is first. Threads give way to each other at blocking
// operations only, after at most one preemption, so the bound of one cuts nothing.
//@ check --strategy random --runs 300: bounded
//@ check --strategy exhaustive --preemptions 1: safe
//@ check --preemptions 1: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_gate, passed;

static void *pass(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (!open_gate)
        pthread_cond_wait(&opened, &lock);
    passed++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pass, NULL);
    pthread_create(&b, NULL, pass, NULL);
    pthread_mutex_lock(&lock);
    open_gate = 1;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(passed == 2);
    return 0;
}
