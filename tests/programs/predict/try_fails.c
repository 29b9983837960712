// The attempts succeed in the run; in other orders they fail.
//@ predict: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t tokens;
static int shared;

static void *holder(void *unused) {
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    sem_post(&tokens);
    return unused;
}

static void *tries(void *unused) {
    if (pthread_mutex_trylock(&lock) == 0) {
        shared = 2;
        pthread_mutex_unlock(&lock);
    } else {
        assert(0 && "the lock was taken"); //~ BUG assertion
    }
    if (sem_trywait(&tokens) != 0)
        assert(0 && "no token was there"); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t first, second;
    sem_init(&tokens, 0, 0);
    pthread_create(&first, NULL, holder, NULL);
    pthread_create(&second, NULL, tries, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
