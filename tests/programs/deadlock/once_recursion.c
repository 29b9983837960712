// The initialisation calls pthread_once on its own control and waits for itself.
//@ check: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void)
{
    pthread_once(&once, initialise); //~ BUG deadlock
}

int main(void)
{
    pthread_once(&once, initialise);
    return 0;
}
