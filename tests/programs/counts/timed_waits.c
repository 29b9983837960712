// Two threads wait for a condition, for some time, and may wake for no reason; main signals under the lock. There is no formula for the traces:
// `classes` tries all schedules and finds as many. To wake for no reason is a step that nothing precedes, and plans that begin with it are left to it: it must
// be gone on with although main's lock, which was tried before, has nothing to do with it.
//@ check --spurious: safe executions=304 blocked=0
//@ check --spurious --strategy classes: safe
//@ check --spurious --cflag=-Dpthread_cond_broadcast=pthread_cond_signal: safe executions=316 blocked=0
//@ check --spurious --strategy dpor-classic: safe executions=304
#include <pthread.h>
#include <time.h>

static int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const struct timespec soon = {1, 0};

static void *work(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    long result = pthread_cond_timedwait(&c, &m, &soon);
    result += flag;
    pthread_mutex_unlock(&m);
    return (void *)result;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, work, NULL);
    pthread_create(&threads[1], NULL, work, NULL);
    pthread_mutex_lock(&m);
    flag = 2;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
