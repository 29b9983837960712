// Buckets and stripes are computed differently: one bucket is guarded by two locks.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t stripes[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int buckets[2];

static void *insert(void *arg)
{
    intptr_t key = (intptr_t)arg;
    pthread_mutex_lock(&stripes[key % 3]);
    buckets[key % 2]++; //~ BUG data-race
    pthread_mutex_unlock(&stripes[key % 3]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, insert, (void *)2);
    insert((void *)4);
    pthread_join(thread, NULL);
    return 0;
}
