// A robust mutex whose holder has ended, and that was not repaired, is refused for good: nobody holds it where `x` is.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

pthread_mutex_t m;
int x;

void *dies(void *unused) {
    pthread_mutex_lock(&m);
    return unused;
}

void *run(void *unused) {
    pthread_mutex_lock(&m);
    x++; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_t t, t1, t2;
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_create(&t1, NULL, run, NULL);
    pthread_create(&t2, NULL, run, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
