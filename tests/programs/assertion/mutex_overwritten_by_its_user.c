// Bytes of a mutex that mean nothing are written before it is used. Who locks first is still open.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void *first(void *unused) {
    ((volatile int *)&mutex)[9] = 0;
    pthread_mutex_lock(&mutex);
    order = order * 3 + 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&mutex);
    order = order * 3 + 2;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(order != 7); //~ BUG assertion
    return 0;
}
