// The process ends within an atomic section, before main has written, after its first write or after both: 3, although the section touches nothing
// that main does.
//@ check: safe executions=3 blocked=0
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int a;

static void *leave(void *arg)
{
    __VERIFIER_atomic_begin();
    exit(0);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, leave, 0);
    a = 1;
    a = 2;
    pthread_join(thread, 0);
    return 0;
}
