// Write skew: each doctor goes off duty if the other is on duty, each by its own critical sections. No single region is interrupted by a
// thread that conflicts with it at both ends, but neither comes before the other.
//@ predict --only atomicity: bug atomicity
//@ predict --only decisions: bounded
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *first(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = y;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    x = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&lock);
    int seen = x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    y = seen + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
