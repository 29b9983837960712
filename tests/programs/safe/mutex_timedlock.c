// timedlock gets the mutex or gives up with ETIMEDOUT when somebody else holds it; both ends are handled.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct timespec deadline;
    int expected = 1;
    pthread_create(&thread, NULL, increment, NULL);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    int result = pthread_mutex_timedlock(&lock, &deadline);
    if (result == 0) {
        counter++;
        expected++;
        pthread_mutex_unlock(&lock);
    } else {
        assert(result == ETIMEDOUT);
    }
    pthread_join(thread, NULL);
    assert(counter == expected);
    return 0;
}
