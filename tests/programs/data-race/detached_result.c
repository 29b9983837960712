// Nobody joins a detached thread; a sleep is not enough to read its result.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <unistd.h>

static int result;

static void *work(void *arg)
{
    result = 4; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sleep(1);
    return result > 4; //~ BUG data-race
}
