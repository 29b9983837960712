// A lock is initialised while its thread takes it for a second time.
//@ check --races ignore: safe
//@ check --races ignore --facts on: safe
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *run(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, NULL, run, NULL);
    pthread_mutex_init(&m, &attr);
    pthread_join(t, NULL);
}
