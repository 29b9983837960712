// glibc uses the numbers of deleted keys again. gordian does not, and says so instead of running out of them.
//@ check: inconclusive message="more than 1024 keys"
#include <assert.h>
#include <pthread.h>

int main(void) {
    for (int n = 0; n < 2000; n++) {
        pthread_key_t key;
        assert(pthread_key_create(&key, NULL) == 0);
        pthread_key_delete(key);
    }
    return 0;
}
