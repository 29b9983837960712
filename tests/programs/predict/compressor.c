// A parallel compressor, after bzip2smp: the writer waits for a block without looking whether it is there, and the signal may come before.
//@ predict: bug lost-signal
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int block;

static void *writer(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock); //~ BUG lost-signal
    block = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *compress(void *unused) {
    pthread_mutex_lock(&lock);
    block = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, compress, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
