// The time to sleep is none, so `nanosleep` fails and the loop ends, whether the flag is set or not.
//@ check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int flag;

static void *polls(void *arg)
{
    struct timespec wrong = {0, 2000000000};
    while (!atomic_load(&flag)) {
        if (nanosleep(&wrong, NULL)) {
            assert(errno == EINVAL);
            break;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, polls, NULL);
    pthread_join(thread, NULL);
    return 0;
}
