// A thread sleeps and then divides by zero. The other sees by the clock that time has passed, before the division ends the execution. A sleep counted as
// something that nobody sees, and the assertion was not found.
//@ check: bug assertion,division-by-zero
//@ check --strategy exhaustive: bug assertion,division-by-zero
//@ check --strategy dpor-classic: bug assertion,division-by-zero
//@ check --strategy unfold: bug assertion,division-by-zero
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static time_t start;

static void *sleeps(void *arg) {
    int zero = arg ? 1 : 0;
    sleep(5);
    return (void *)(long)(1 / zero); //~ BUG division-by-zero
}

static void *looks(void *arg) {
    time_t now = time(0);
    assert(now == start); //~ BUG assertion
    return arg;
}

int main(void) {
    pthread_t one, other;
    start = time(0);
    pthread_create(&one, 0, sleeps, 0);
    pthread_create(&other, 0, looks, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
}
