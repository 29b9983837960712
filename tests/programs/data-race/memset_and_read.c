// A library function accesses memory for its caller: memset in one thread, a read of one byte in the other.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <string.h>

static char buffer[16];

static void *clear(void *arg)
{
    memset(buffer, 0, sizeof buffer); //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    char last = buffer[15]; //~ BUG data-race
    pthread_join(thread, NULL);
    return last;
}
