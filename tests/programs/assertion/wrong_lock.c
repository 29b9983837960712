// Both threads lock, but not the same lock: as good as none.
//@ check --strategy exhaustive --keep-going: bug assertion,data-race
//@ check --strategy exhaustive --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *arg)
{
    pthread_mutex_lock(&first);
    counter++; //~ BUG data-race
    pthread_mutex_unlock(&first);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    pthread_mutex_lock(&second);
    counter++; //~ BUG data-race
    pthread_mutex_unlock(&second);
    pthread_join(thread, NULL);
    assert(counter == 2); //~ BUG assertion
    return 0;
}
