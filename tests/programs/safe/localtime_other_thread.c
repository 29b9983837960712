// The result of `localtime` holds numbers that look like a pointer to what another thread has to itself: the first day of a month is the highest byte
// of one to the first variable on the stack of the second thread. Nobody but its owner can have handed that out.
//@ check: safe
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int result;
static void *reader(void *unused) {
    time_t new_year = 1704067200;
    result = localtime(&new_year)->tm_year;
    return NULL;
}
static void *counter(void *unused) {
    int local[4];
    int *volatile escaped = local;
    for (int i = 0; i < 4; i++)
        escaped[i] = i;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return (void *)(long)(local[3] + escaped[1]);
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, counter, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
