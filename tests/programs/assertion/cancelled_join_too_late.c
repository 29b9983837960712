// As with a semaphore: a thread waits for the end of another while main cancels it.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_t worker;
static int joined;
static atomic_int work;
static void *works(void *unused) {
    work++;
    return unused;
}
static void *waits(void *unused) {
    pthread_join(worker, NULL);
    joined = 1;
    return unused;
}
int main(void) {
    pthread_t waiter;
    pthread_create(&worker, NULL, works, NULL);
    pthread_create(&waiter, NULL, waits, NULL);
    pthread_cancel(waiter);
    pthread_join(waiter, NULL);
    assert(!joined); //~ BUG assertion
    return 0;
}
