// A thread that is detached from its creation on (attribute) is finished with its work when the semaphore says so:
// nobody joins it, and nobody has to.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int result;

static void *work(void *arg)
{
    (void)arg;
    result = 1;
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    int state;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attr, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&thread, &attr, work, NULL) == 0);
    sem_wait(&done);
    assert(result == 1);
    pthread_attr_destroy(&attr);
    return 0;
}
