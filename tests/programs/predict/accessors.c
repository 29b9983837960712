// A counter behind accessors, each with its own critical section: what a function calls counts at the line of the call, so reading and writing are one
// region of `add`, and another thread can come in between.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static int get(void) {
    pthread_mutex_lock(&lock);
    int value = counter;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int value) {
    pthread_mutex_lock(&lock);
    counter = value;
    pthread_mutex_unlock(&lock);
}

static void *add(void *unused) {
    int value = get();
    set(value + 1);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
