// The worker's value has a destructor, unless main deletes the key between the worker's last operation and its end.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_key_t key;
static sem_t is_set;
static int is_destroyed;

static void destroy(void *value)
{
    (void)value;
    is_destroyed = 1;
}

static void *work(void *arg)
{
    pthread_setspecific(key, &is_set);
    sem_post(&is_set);
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&is_set, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&is_set);
    pthread_key_delete(key);
    pthread_join(thread, NULL);
    assert(is_destroyed); //~ BUG assertion
    return 0;
}
