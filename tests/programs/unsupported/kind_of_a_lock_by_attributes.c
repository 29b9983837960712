// The kind comes from the attributes. Writers of such a lock are like others: only reading is refused.
//@ check: inconclusive message="prefers writers"
//@ check -- w: safe
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;

static void *writer(void *argument) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(int argc, char **argv) {
    (void)argv;
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attributes);
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (argc > 1) {
        pthread_rwlock_wrlock(&lock);
    } else {
        pthread_rwlock_rdlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
