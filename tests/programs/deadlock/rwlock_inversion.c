// Each thread reads one table and wants to write the other.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;

static void *copy_b_to_a(void *arg)
{
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_wrlock(&a); //~ BUG deadlock
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, copy_b_to_a, NULL);
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_wrlock(&b); //~ BUG deadlock
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    pthread_join(thread, NULL);
    return 0;
}
