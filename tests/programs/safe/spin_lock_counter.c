// pthread spin locks exclude like mutexes do, and trylock says EBUSY.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *increment(void *arg)
{
    (void)arg;
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int expected = 1;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, increment, NULL);
    int result = pthread_spin_trylock(&lock);
    if (result == 0) {
        counter++;
        expected++;
        pthread_spin_unlock(&lock);
    } else {
        assert(result == EBUSY);
    }
    pthread_join(thread, NULL);
    assert(counter == expected);
    pthread_spin_destroy(&lock);
    return 0;
}
