// A future: the promise is fulfilled once, everybody who asks gets the value.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct future {
    pthread_mutex_t lock;
    pthread_cond_t set;
    bool has_value;
    int value;
};

static void fulfil(struct future *future, int value)
{
    pthread_mutex_lock(&future->lock);
    assert(!future->has_value);
    future->value = value;
    future->has_value = true;
    pthread_cond_broadcast(&future->set);
    pthread_mutex_unlock(&future->lock);
}

static int get(struct future *future)
{
    pthread_mutex_lock(&future->lock);
    while (!future->has_value)
        pthread_cond_wait(&future->set, &future->lock);
    int value = future->value;
    pthread_mutex_unlock(&future->lock);
    return value;
}

static void *compute(void *arg)
{
    fulfil(arg, 6 * 7);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct future future = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};
    pthread_create(&thread, NULL, compute, &future);
    assert(get(&future) == 42);
    pthread_join(thread, NULL);
    return 0;
}
