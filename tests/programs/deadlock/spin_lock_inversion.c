// Spin locks in opposite order: both spin for ever, which is the same deadlock with warmer processors.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_spinlock_t a, b;

static void *backwards(void *arg)
{
    pthread_spin_lock(&b);
    pthread_spin_lock(&a); //~ BUG deadlock
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, backwards, NULL);
    pthread_spin_lock(&a);
    pthread_spin_lock(&b); //~ BUG deadlock
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
