// A section that only reads still comes before one that writes what it has read: who sees `closed` unset uses the data
// within its section, and who sets it writes the data afterwards. No race.
//@ check: safe executions=2
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int closed, data;

static void *use(void *arg)
{
    __VERIFIER_atomic_begin();
    if (!closed)
        (void)*(volatile int *)&data;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    __VERIFIER_atomic_begin();
    closed = 1;
    __VERIFIER_atomic_end();
    data = 2;
    pthread_join(thread, 0);
    return 0;
}
