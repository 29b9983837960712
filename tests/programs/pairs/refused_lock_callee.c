// A function locks and unlocks an error-checking mutex that its caller holds: the first fails, the second sets it free.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

pthread_mutex_t m;
int x;

static void __attribute__((noinline)) inner(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}

static void __attribute__((noinline)) leaves_locked(void) { pthread_mutex_lock(&m); }

void *first(void *unused) {
    pthread_mutex_lock(&m);
    inner();
    x++; //~ BUG data-race
    pthread_mutex_unlock(&m);
    return unused;
}

void *second(void *unused) {
    pthread_mutex_lock(&m);
    leaves_locked();
    pthread_mutex_unlock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &attributes);
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
