// Exchanges of 128 bits whose values are inputs or written by another thread.
//@ cflag: -mcx16
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy interference: bug assertion
#include <gordian.h>
#include <assert.h>
#include <pthread.h>
static __int128 shared __attribute__((aligned(16)));
static void *other(void *unused) {
    __int128 one = (__int128)1 << 70;
    __sync_bool_compare_and_swap(&shared, (__int128)0, one);
    return NULL;
}
int main(void) {
    pthread_t thread;
    unsigned char x = gordian_uchar("x");
    pthread_create(&thread, NULL, other, NULL);
    __int128 expected = (__int128)x << 64;
    _Bool done = __sync_bool_compare_and_swap(&shared, expected, (__int128)5);
    pthread_join(thread, NULL);
    assert(!(done && x == 64)); //~ BUG assertion
    return 0;
}
