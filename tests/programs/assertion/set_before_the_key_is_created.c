// Whether there is a key of that number is a matter of the schedule, so setting its value is a step of its own: the other thread may write and create the key
// between the two operations.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int written;
static pthread_key_t key;
static void *set(void *arg) {
    int seen = written;
    int failed = pthread_setspecific(0, &written);
    assert(seen || failed); //~ BUG assertion
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    written = 1;
    pthread_key_create(&key, 0);
    pthread_join(t, 0);
}
