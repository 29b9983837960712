// Main gives up a spin lock and then destroys it. The other thread, which tries to take it in a loop, may come before, between, or too late.
//@ check: bug assertion,lock-misuse
//@ check --strategy exhaustive: bug assertion,lock-misuse
//@ check --strategy dpor-classic: bug assertion,lock-misuse
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;

static void *tries(void *arg)
{
    while (pthread_spin_trylock(&lock)) { //~ BUG lock-misuse
    }
    assert(0); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_lock(&lock);
    pthread_create(&thread, NULL, tries, NULL);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock); //~ BUG lock-misuse
    pthread_join(thread, NULL);
    return 0;
}
