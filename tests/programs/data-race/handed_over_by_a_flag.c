// A flag under a lock says who may use the data. With -DSWAPPED the reader takes it for the opposite and races with the writer; otherwise there is no
// lock that both hold at the accesses, and still no race.
//@ check --cflag=-DSWAPPED: bug data-race
//@ check --cflag=-DSWAPPED --strategy interference: bug data-race
//@ check --cflag=-DSWAPPED --strategy interference --max-interferences 0: bug data-race
//@ check: safe
//@ check --strategy interference: safe
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done, data;
#ifdef SWAPPED
#define MINE(flag) (!(flag))
#else
#define MINE(flag) (flag)
#endif

static void *writes(void *arg)
{
    data = 1; //~ BUG data-race
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *takes(void *arg)
{
    pthread_mutex_lock(&lock);
    int flag = done;
    pthread_mutex_unlock(&lock);
    if (MINE(flag))
        data = 2; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, writes, 0);
    pthread_create(&threads[1], 0, takes, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
