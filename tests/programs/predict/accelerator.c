// A download accelerator, after aget and axel: workers add what they fetched to a shared count under a lock, but the one who saves progress
// for a later resume reads the count and the time of saving in two critical sections. What is saved need not fit together.
//@ predict --only atomicity: bug atomicity
//@ predict --only races: bounded
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fetched, pieces;

static void *worker(void *unused) {
    pthread_mutex_lock(&lock);
    fetched += 100;
    pieces += 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *saver(void *unused) {
    pthread_mutex_lock(&lock);
    int bytes = fetched;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int count = pieces;
    pthread_mutex_unlock(&lock);
    printf("%d bytes in %d pieces\n", bytes, count);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, worker, NULL);
    pthread_create(&second, NULL, saver, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
