// The running example of BEST: the run passes. Other orders of its steps lose the signal, block both threads, and let b write Z in the middle of
// a's update. The second lost signal is the one that leaves b waiting for L2, too.
//@ predict: bug atomicity,data-race,deadlock,lost-signal
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int Z = 1, Y = 1;
char *X;
pthread_mutex_t L1 = PTHREAD_MUTEX_INITIALIZER, L2 = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t S = PTHREAD_COND_INITIALIZER;

void *a(void *unused) {
    pthread_mutex_lock(&L2);
    ++Z; //~ BUG data-race
    X = malloc(Z);
    pthread_mutex_lock(&L1); //~ BUG deadlock
    pthread_cond_wait(&S, &L1); //~ BUG lost-signal
    pthread_mutex_unlock(&L2);
    Y = Z;
    pthread_mutex_unlock(&L1);
    return unused;
}

void *b(void *unused) {
    pthread_mutex_lock(&L1);
    pthread_cond_signal(&S);
    pthread_mutex_unlock(&L1);
    usleep(1000);
    pthread_mutex_lock(&L1);
    Z = Y;
    pthread_mutex_lock(&L2); //~ BUG deadlock
    pthread_mutex_unlock(&L2);
    pthread_mutex_unlock(&L1);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, a, NULL);
    pthread_create(&second, NULL, b, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(X);
    return 0;
}
