// How often one thread holds a read-write lock for reading is counted up to fifteen.
//@ check: inconclusive message="a read-write lock that one thread takes for reading more than 15 times"
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    for (int i = 0; i < 16; i++) pthread_rwlock_rdlock(&lock);
}
