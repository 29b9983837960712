// A loop waits for `state`, which its owner also reads as a plain variable. A machine that has seen both refuses to wait there, and remembers that when it
// goes back: neither the search nor the attempts to shrink a finding may count on such a machine.
//@ check --strategy random: bug data-race
//@ check: bug data-race
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static volatile unsigned state;
static unsigned next;
static int plain;

static void *produce(void *argument) {
    __atomic_store_n(&state, 8, __ATOMIC_RELAXED);
    plain++; //~ BUG data-race
    __atomic_store_n(&next, 2, __ATOMIC_SEQ_CST);
    __atomic_store_n(&state, state & ~8u, __ATOMIC_RELAXED);
    return argument;
}

static void *consume(void *argument) {
    if (__atomic_load_n(&next, __ATOMIC_SEQ_CST) == 0) {
        plain++; //~ BUG data-race
        return argument;
    }
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) & 8) {
    }
    return argument;
}

int main(void) {
    pthread_t first, second, third;
    pthread_create(&first, NULL, produce, NULL);
    pthread_create(&second, NULL, consume, NULL);
    pthread_create(&third, NULL, consume, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(third, NULL);
    return 0;
}
