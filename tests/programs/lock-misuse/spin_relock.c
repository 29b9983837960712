// A thread spins on the lock that it holds itself.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_spinlock_t lock;

static void *work(void *arg)
{
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); //~ BUG lock-misuse
    pthread_spin_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
