// Two threads take two locks in opposite orders. Who does not get the second one gives up the first and tries again, perhaps for ever.
//@ check: bounded
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int inside;

static void lock_both(int first)
{
    for (;;) {
        pthread_mutex_lock(&locks[first]);
        if (pthread_mutex_trylock(&locks[!first]) == 0)
            return;
        pthread_mutex_unlock(&locks[first]);
    }
}

static void work(int first)
{
    lock_both(first);
    inside++;
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&locks[!first]);
    pthread_mutex_unlock(&locks[first]);
}

static void *other(void *arg)
{
    work(1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    work(0);
    pthread_join(thread, NULL);
    return 0;
}
