// Who is cancelled while it initialises leaves the initialisation to the next one.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, finished;
static void initialise(void) {
    begun++;
    pthread_testcancel();
    finished++;
}
static void *user(void *unused) {
    pthread_once(&once, initialise);
    return NULL;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    pthread_once(&once, initialise);
    assert(finished == 1 && begun >= 1 && begun <= 2);
    return 0;
}
