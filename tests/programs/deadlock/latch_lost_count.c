// The count-down of a latch loses an update (load, then store), so it never reaches zero and main waits on an event that never comes.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int remaining = 2;
static sem_t zero;

static void count_down(void)
{
    int left = atomic_load(&remaining) - 1;
    atomic_store(&remaining, left);
    if (left == 0)
        sem_post(&zero);
}

static void *work(void *arg)
{
    count_down();
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&zero, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    count_down();
    sem_wait(&zero); //~ BUG deadlock
    pthread_join(thread, NULL);
    return 0;
}
