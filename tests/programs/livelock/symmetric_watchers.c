// Three threads wait for a flag that is only ever written with the value that it has. None of them can look: one trace.
//@ check: bug livelock executions=1 blocked=0
//@ check --symmetry: bug livelock executions=1 blocked=0
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int flag;

static void *watch(void *arg)
{
    while (!flag) //~ BUG livelock
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, watch, NULL);
    flag = 0;
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL); //~ BUG livelock
    return 0;
}
