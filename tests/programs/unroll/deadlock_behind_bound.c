// The worker keeps the lock while it goes round. Where it stops at the bound main waits for the lock for ever, which is the bound's doing and
// no deadlock.
//@ check --unroll 4: safe
//@ check --unroll 3: inconclusive
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int work_done;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4; i++)
        work_done++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    int seen = work_done;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen != 0 && seen != 4;
}
