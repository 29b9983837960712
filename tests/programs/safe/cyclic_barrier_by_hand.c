// A barrier made of a mutex, a counter and a generation number. Waiting for the generation to change makes it reusable.
//@ check --strategy exhaustive: safe
//@ check --strategy random --runs 100 --spurious: bounded
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int arrived, generation;
static int phase[2];

static void meet(void)
{
    pthread_mutex_lock(&lock);
    int mine = generation;
    if (++arrived == 2) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&turned);
    } else {
        while (mine == generation)
            pthread_cond_wait(&turned, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *other(void *arg)
{
    phase[1] = 1;
    meet();
    assert(phase[0] == 1);
    meet();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    phase[0] = 1;
    meet();
    assert(phase[1] == 1);
    meet();
    phase[0] = phase[1] = 2;
    pthread_join(thread, NULL);
    return 0;
}
