// exit from a worker ends the whole program while main waits for it; a status other than 0 is no finding. atexit handlers run.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int prepared;

static void at_exit(void)
{
    assert(prepared == 1);
}

static void *leave(void *arg)
{
    (void)arg;
    exit(3);
}

int main(void)
{
    pthread_t thread;
    prepared = 1;
    atexit(at_exit);
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
    assert(0); /* never reached: exit does not return to the joiner */
    return 0;
}
