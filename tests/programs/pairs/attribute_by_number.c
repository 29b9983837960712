// The attribute is written as a number and not by pthread_mutexattr_settype: the mutex refuses to be taken twice, so one release sets it free.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>

static int x;
static pthread_mutex_t m;

static void *adds(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    x++; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t, u;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    *(int *)&attributes = PTHREAD_MUTEX_ERRORCHECK;
    pthread_mutex_init(&m, &attributes);
    pthread_create(&t, NULL, adds, NULL);
    pthread_create(&u, NULL, adds, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
