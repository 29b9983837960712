// Main assigns an initialiser to a mutex that the worker may hold: its bytes are written while others use them.
//@ check: bug data-race,lock-misuse
//@ check --strategy dpor-classic: bug data-race,lock-misuse
//@ check --strategy exhaustive: bug data-race,lock-misuse
//@ check --races ignore: bug lock-misuse
//@ check --races ignore --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex); //~ BUG data-race
    pthread_mutex_unlock(&mutex); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_join(thread, NULL);
    return 0;
}
