// Between __VERIFIER_atomic_begin and __VERIFIER_atomic_end no other thread steps: the increments cannot be torn apart,
// and atomic blocks order their plain accesses like one global lock.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static int counter;

static void *increment(void *arg)
{
    __VERIFIER_atomic_begin();
    int seen = counter;
    counter = seen + 1;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    increment(NULL);
    pthread_join(thread, NULL);
    assert(counter == 2);
    return 0;
}
