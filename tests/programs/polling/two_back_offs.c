// Two threads raise their flags, see each other, and lower them again, perhaps for ever.
//@ check: bounded
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int inside;

static void enter(int me)
{
    for (;;) {
        atomic_store(&wants[me], 1);
        if (!atomic_load(&wants[!me]))
            return;
        atomic_store(&wants[me], 0);
    }
}

static void *other(void *arg)
{
    enter(1);
    inside++;
    atomic_store(&wants[1], 0);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    enter(0);
    inside++;
    atomic_store(&wants[0], 0);
    pthread_join(thread, NULL);
    return 0;
}
