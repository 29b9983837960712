// A spin lock is unlocked that is not locked.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

int main(void)
{
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    pthread_spin_unlock(&lock); //~ BUG lock-misuse
    return 0;
}
