// A loop takes events until one tells it to stop; another thread puts two of them in. What the loop sees is a matter of shared memory alone, and it ends by
// itself once the bound is large enough.
//@ check: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int events[3];

static void *puts_in(void *arg)
{
    atomic_store(&events[0], 1);
    atomic_store(&events[1], 2);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, puts_in, NULL);
    for (int at = 0;; at++) {
        int event;
        while ((event = atomic_load(&events[at])) == 0) {
        }
        assert(event == at + 1);
        if (event == 2)
            break;
    }
    pthread_join(thread, NULL);
    return 0;
}
