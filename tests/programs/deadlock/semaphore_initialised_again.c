// A thread takes the only unit and initialises the semaphore again. If the other one takes the unit first, the first waits for ever.
//@ check --races ignore: bug deadlock
//@ check --races ignore --strategy exhaustive: bug deadlock
//@ check --races ignore --strategy dpor-classic: bug deadlock
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *renew(void *unused) {
    sem_wait(&units); //~ BUG deadlock
    sem_init(&units, 0, 1);
    return unused;
}

static void *take(void *unused) {
    sem_wait(&units);
    return unused;
}

int main(void) {
    pthread_t first, second;
    sem_init(&units, 0, 1);
    pthread_create(&first, NULL, renew, NULL);
    pthread_create(&second, NULL, take, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
