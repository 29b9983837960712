// A recursive mutex is released only by its last unlock, so the other thread never sees the intermediate value 1.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock;
static int value;

static void add_one(void)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
}

static void *add_two(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    add_one();
    add_one();
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t thread;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&thread, NULL, add_two, NULL);
    pthread_mutex_lock(&lock);
    assert(value == 0 || value == 2);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&lock);
    return 0;
}
