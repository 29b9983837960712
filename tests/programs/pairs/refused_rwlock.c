// A read-write lock that its thread holds for writing refuses to be taken again, and one release sets it free.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x;

static void __attribute__((noinline)) look(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
}

void *run(void *unused) {
    pthread_rwlock_wrlock(&lock);
    look();
    x++; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, run, NULL);
    pthread_create(&t2, NULL, run, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
