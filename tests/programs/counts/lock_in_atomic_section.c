// An atomic section that takes a lock is one step if the lock is free. If it is not, the section stops there until it is. Traces: the section
// first; the section behind the unlock; the section while the lock is held, which goes on behind the unlock.
//@ check: safe executions=3 blocked=0
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *section(void *arg)
{
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, section, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
