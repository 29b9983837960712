// A thread takes a lock for reading, gives it back and creates two writers. That it once had the lock keeps neither of them from being
// the first: the second order must be explored, too.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy unfold: bug assertion
//@ check --races ignore --strategy contextual: bug assertion
//@ check --races ignore --strategy stateful: bug assertion
//@ check --races ignore --strategy stateful-naive: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_t first, second;
static int x;

static void *doubles(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    x = 2 * x + 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *triples(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    x = 3 * x + 5;
    assert(x != 5); //~ BUG assertion
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *creates(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_create(&first, 0, doubles, 0);
    pthread_create(&second, 0, triples, 0);
    return arg;
}

int main(void)
{
    pthread_t creator;
    pthread_create(&creator, 0, creates, 0);
    pthread_join(creator, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
