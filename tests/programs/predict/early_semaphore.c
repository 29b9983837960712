// A semaphore that one thread initialises and another uses: the run has them in the right order by chance.
//@ predict: bug data-race,lock-misuse
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;

static void *starter(void *unused) {
    sem_init(&ready, 0, 1);
    return unused;
}

static void *user(void *unused) {
    sem_wait(&ready); //~ BUG lock-misuse
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, starter, NULL);
    pthread_create(&second, NULL, user, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
