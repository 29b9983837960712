// `start` sees x and creates a thread, which writes y: by way of both, what `update` did first comes before what it does last.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void put(int *to, int value) {
    pthread_mutex_lock(&lock);
    *to = value;
    pthread_mutex_unlock(&lock);
}

static int look(int *at) {
    pthread_mutex_lock(&lock);
    int value = *at;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *update(void *unused) {
    put(&x, 1);
    printf("%d\n", look(&y));
    return unused;
}

static void *child(void *unused) {
    put(&y, 1);
    return unused;
}

static void *start(void *unused) {
    pthread_t one;
    look(&x);
    pthread_create(&one, NULL, child, NULL);
    pthread_join(one, NULL);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, start, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
