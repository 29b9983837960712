// A condition variable is used after its scope has ended, while the function that it belongs to still runs or after that has returned: one finding.
//@ check --strategy exhaustive: bug use-after-free
//@ check --strategy dpor: bug use-after-free
//@ check --strategy dpor-classic: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(pthread_cond_t *) shared;
static atomic_int after;
static void *owner(void *unused) {
    {
        pthread_cond_t condition;
        pthread_cond_init(&condition, NULL);
        shared = &condition;
    }
    after = 1;
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, owner, NULL);
    pthread_cond_t *condition = shared;
    if (condition)
        pthread_cond_signal(condition); //~ BUG use-after-free
    pthread_join(thread, NULL);
    return 0;
}
