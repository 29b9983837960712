// A semaphore is destroyed and posted afterwards.
//@ check --strategy exhaustive: bug lock-misuse
#include <semaphore.h>

int main(void)
{
    sem_t sem;
    sem_init(&sem, 0, 0);
    sem_destroy(&sem);
    sem_post(&sem); //~ BUG lock-misuse
    return 0;
}
