// The second initialisation takes away the unit that the thread could have had before. That the thread comes first shows only by taking that initialisation away, before
// which nothing tells how many units there are.
//@ check: bug assertion,data-race
//@ check --races ignore: bug assertion
//@ check --strategy dpor-classic --races ignore: bug assertion
//@ check --strategy exhaustive --races ignore: bug assertion
//@ check --strategy unfold --races ignore: bug assertion
//@ check --strategy value-schedule --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *takes(void *unused) {
    sem_wait(&units);
    assert(0 && "it had a unit"); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&units, 0, 1);
    pthread_create(&thread, 0, takes, 0);
    sem_init(&units, 0, 0); //~ BUG data-race
    return 0;
}
