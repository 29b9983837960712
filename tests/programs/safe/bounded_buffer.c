// A bounded buffer of one slot with two condition variables and waits in loops.
//@ check --strategy exhaustive: safe
//@ check --strategy random --runs 200 --spurious: bounded
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot, count;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == 1)
        pthread_cond_wait(&not_full, &lock);
    slot = item;
    count = 1;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = slot;
    count = 0;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg)
{
    put(1);
    put(2);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    assert(get() == 1);
    assert(get() == 2);
    pthread_join(thread, NULL);
    return 0;
}
