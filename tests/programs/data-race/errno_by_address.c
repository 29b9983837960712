// `errno` is a variable of the thread, and whoever gets a pointer to it can use it.
//@ check: bug data-race,assertion
//@ check --strategy exhaustive: bug data-race,assertion
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *set(void *place)
{
    *(int *)place = 5; //~ BUG data-race
    return NULL;
}

int main(void)
{
    pthread_t thread;
    errno = 0;
    pthread_create(&thread, NULL, set, &errno);
    assert(!errno); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
