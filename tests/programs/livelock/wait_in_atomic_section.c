// Who waits within an atomic section waits forever: nobody else can step before the section ends.
//@ check: bug livelock
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int ready;

static void *waiter(void *arg)
{
    __VERIFIER_atomic_begin();
    while (!ready)
        ;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, waiter, 0);
    ready = 1;
    pthread_join(thread, 0);
    return 0;
}
