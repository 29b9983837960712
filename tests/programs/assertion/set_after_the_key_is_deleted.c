// The key may be deleted between the two operations of the thread.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static void *use(void *arg) {
    pthread_key_t key = (pthread_key_t)(long)arg;
    ready = 1;
    assert(pthread_setspecific(key, &ready) == 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_key_t key;
    pthread_key_create(&key, 0);
    pthread_create(&t, 0, use, (void *)(long)key);
    if (ready) pthread_key_delete(key);
    pthread_join(t, 0);
}
