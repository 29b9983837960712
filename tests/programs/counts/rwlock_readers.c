// N readers and M writers of a pair under a read-write lock. Readers do not exclude each other: every writer comes before or after every reader and
// every other writer, M! * (M + 1)^N ways.
//@ check --cflag=-DN=2: safe executions=4 blocked=0
//@ check --cflag=-DN=3: safe executions=8 blocked=0
//@ check --cflag=-DN=2 --cflag=-DM=2: safe executions=18 blocked=0
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif
#ifndef M
#define M 1
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *write_both(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *read_both(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N + M];
    for (int n = 0; n < N + M; n++)
        pthread_create(&threads[n], NULL, n < M ? write_both : read_both, NULL);
    for (int n = 0; n < N + M; n++)
        pthread_join(threads[n], NULL);
    assert(left == M);
    return 0;
}
