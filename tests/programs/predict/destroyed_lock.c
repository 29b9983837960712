// A lock that is destroyed when its owner believes that nobody uses it any more.
//@ predict: bug data-race,lock-misuse
#include <pthread.h>

static pthread_mutex_t lock;
static int count;

static void *user(void *unused) {
    pthread_mutex_lock(&lock); //~ BUG lock-misuse
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *owner(void *unused) {
    pthread_mutex_destroy(&lock); //~ BUG lock-misuse
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_mutex_init(&lock, NULL);
    pthread_create(&first, NULL, user, NULL);
    pthread_create(&second, NULL, owner, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
