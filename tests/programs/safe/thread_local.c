// Every thread has its own copy of a _Thread_local variable, initialised afresh; no access to it is a race.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static _Thread_local int mine = 3;
static __thread int also_mine;

static void *work(void *arg)
{
    assert(mine == 3 && also_mine == 0);
    for (int i = 0; i < 5; i++) {
        mine++;
        also_mine--;
    }
    assert(mine == 8 && also_mine == -5);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    mine = 100;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    mine++;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(mine == 101 && also_mine == 0);
    return 0;
}
