// The address of a variable, as a number, goes through a floating-point variable.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <stdint.h>

int x;
long double place;

void *run(void *unused) {
    int *there = (int *)(uintptr_t)place;
    (*there)++; //~ BUG data-race
    return unused;
}

int main(void) {
    place = (long double)(uintptr_t)&x;
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, NULL);
    pthread_create(&t2, NULL, run, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
