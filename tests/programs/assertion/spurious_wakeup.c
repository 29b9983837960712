// A wait without a loop is right only as long as nobody wakes up without a reason. POSIX allows it, so --spurious finds the bug.
//@ check --strategy exhaustive: safe
//@ check --strategy exhaustive --spurious: bug assertion
//@ check --strategy random --runs 300 --spurious: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&cond, &lock);
    assert(ready); //~ BUG assertion
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
