// The string that `getenv` gives is the same for all threads.
//@ check: bug data-race
#include <pthread.h>
#include <stdlib.h>

static void *capitalise(void *arg)
{
    char *value = getenv("NAME");
    value[0] = 'N'; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    setenv("NAME", "n", 1);
    pthread_create(&thread, NULL, capitalise, NULL);
    char *value = getenv("NAME");
    int is_small = value[0] == 'n'; //~ BUG data-race
    pthread_join(thread, NULL);
    return is_small & 0;
}
