// One input fails whatever the threads do; behind it lie more orders of the threads than anybody would wait for. What inputs alone lead to is
// found before those are tried.
//@ check --runs 1: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    int n = gordian_int("n");
    pthread_t threads[6];
    for (int i = 0; i < 6; i++)
        pthread_create(&threads[i], 0, worker, 0);
    assert(n != 77);
    assert(n != 78);
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], 0);
    return 0;
}
