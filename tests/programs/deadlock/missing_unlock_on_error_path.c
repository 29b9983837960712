// The early return of the error path forgets the unlock; the next caller waits forever.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static int sell(int n)
{
    pthread_mutex_lock(&lock); //~ BUG deadlock
    if (stock < n)
        return -1;
    stock -= n;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *buy_two(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)sell(2);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, buy_two, NULL);
    sell(1);
    pthread_join(thread, NULL);
    return 0;
}
