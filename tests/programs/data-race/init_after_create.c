// The configuration is written after the thread that reads it was started.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static int verbosity;

static void *work(void *arg)
{
    return verbosity > 5 ? arg : NULL; //~ BUG data-race
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    verbosity = 2; //~ BUG data-race
    pthread_join(thread, NULL);
    return 0;
}
