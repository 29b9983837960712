// The running example of BEST (Ganai, Arora, Wang, Gupta, Balakrishnan 2011). Run plainly it passes: thread a waits before b signals. In other
// orders of the same steps the signal is lost, Z is written in the middle of a's update, and both threads block each other.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int Z = 1, Y = 1;
char *X;
pthread_mutex_t L1 = PTHREAD_MUTEX_INITIALIZER, L2 = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t S = PTHREAD_COND_INITIALIZER;

void *a(void *unused) {
    pthread_mutex_lock(&L2);     // s1
    ++Z;                         // s2
    X = malloc(Z);               // s3
    pthread_mutex_lock(&L1);     // s4
    pthread_cond_wait(&S, &L1);  // s5
    pthread_mutex_unlock(&L2);   // s9
    Y = Z;                       // s10
    pthread_mutex_unlock(&L1);   // s11
    return unused;
}

void *b(void *unused) {
    pthread_mutex_lock(&L1);     // s6
    pthread_cond_signal(&S);     // s7
    pthread_mutex_unlock(&L1);   // s8
    usleep(1000);
    pthread_mutex_lock(&L1);     // s12
    Z = Y;                       // s13
    pthread_mutex_lock(&L2);     // s14
    pthread_mutex_unlock(&L2);   // s15
    pthread_mutex_unlock(&L1);   // s16
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
