// Nobody who interrupts `update` touches both of its variables: one thread sees x and writes m, another sees m and writes y. Through both of them
// what `update` did first comes before what it does last.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y, m;

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

static void *from_x(void *unused) {
    int seen = look(&x);






    put(&m, seen);
    return unused;
}

static void *from_m(void *unused) {
    int seen = look(&m);






    put(&y, seen);
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, from_x, NULL);
    pthread_create(&c, NULL, from_m, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
