// Two readers, main and `set`, and a writer that gives up after a while, unless it sees what `set` writes. The exit waits for all. The writer
// - sees what `set` writes: 1;
// - sees 0 and locks, and the two readers come before or after it, each for itself: 4;
// - sees 0 and gives up because a reader has the lock: main, while `set` is still to come or has given it back; `set`, in the same two ways; or both: 5.
// 10 in total, as `classes` counts them. A search that took a sleeping reader for sure to be woken by a writer lost one in some orders.
//@ check: safe executions=10 blocked=0
//@ check --jobs 2: safe executions=10
//@ check --strategy dpor-classic: safe executions=10
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int a;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void *write_unless_set(void *arg)
{
    static const struct timespec soon = {1, 0};
    if (!a && pthread_rwlock_timedwrlock(&rw, &soon) == 0)
        pthread_rwlock_unlock(&rw);
    return arg;
}

static void *set(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    a = 1;
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, write_unless_set, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_rwlock_rdlock(&rw);
    pthread_rwlock_unlock(&rw);
    return 0;
}
