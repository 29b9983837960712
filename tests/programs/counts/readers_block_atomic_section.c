// A thread takes a lock for reading twice and gives it back twice; main writes within an atomic section, which blocks while there are readers. The
// section comes first: 1. It comes last: 1. It blocks behind the first, the second or the third step of the reader, and goes on at the end: 3.
// The exit waits for the reader. In total 5.
//@ check: safe executions=5 blocked=0
//@ check --strategy exhaustive: safe
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    __VERIFIER_atomic_begin();
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    __VERIFIER_atomic_end();
    return 0;
}
