// Two writers of the same value: still a race.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static int done;

static void *finish(void *arg)
{
    done = 1; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, finish, NULL);
    done = 1; //~ BUG data-race
    pthread_join(thread, NULL);
    return done - 1;
}
