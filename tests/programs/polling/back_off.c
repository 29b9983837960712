// A spin lock that backs off for longer and longer, up to a limit, and gives up in the end. How long it has waited makes a difference, so every
// number of attempts is explored.
//@ check: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int held;
static int counter;

static void *work(void *arg)
{
    for (int wait = 1; wait <= 4; wait *= 2) {
        if (!atomic_exchange(&held, 1)) {
            counter++;
            atomic_store(&held, 0);
            break;
        }
        usleep(wait);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    assert(counter >= 1);
    return 0;
}
