// Who comes last to a barrier goes on at once, and in another order that is somebody else: nobody may pass before all have come.
//@ predict: bug deadlock
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int before, after;

static void *first(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ BUG deadlock
    before++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *second(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ BUG deadlock
    before++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_barrier_wait(&barrier);
    after = before;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
