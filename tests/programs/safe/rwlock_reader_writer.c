// The writer changes a pair under the write lock, the reader sees both halves or none.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_pair(void *arg)
{
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    left = 1;
    right = 1;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_pair, NULL);
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    pthread_rwlock_destroy(&lock);
    return 0;
}
