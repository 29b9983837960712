// A flag that is set under the lock before the data may be used: reorderings in which the reader comes first take the other branch, so nothing but
// that is predicted.
//@ predict: bounded
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_ready, data;

static void *writer(void *unused) {
    data = 42;
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused) {
    pthread_mutex_lock(&lock);
    int ready = is_ready;
    pthread_mutex_unlock(&lock);
    if (ready)
        data++;
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
