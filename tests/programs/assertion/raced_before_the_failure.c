// The second reader fails if it comes behind the write, and ends the execution before the third thread has tried to lock. That the third thread gets the
// lock before main does, and the second reads before the write, shows in no execution that fails. So the reversal of that race, as it shows there, is not covered by
// main's attempt to lock, although that is independent of it. The mutexes might be robust, so what a thread is about to do to them may turn out otherwise.
//@ check --races ignore: bug assertion
//@ check --strategy dpor-classic --races ignore: bug assertion
//@ check --strategy exhaustive --races ignore: bug assertion
//@ check --strategy unfold --races ignore: bug assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t m;
static const struct timespec soon = {1, 0};
static atomic_int a;
static void init(int type, int is_robust) {
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    if (is_robust)
        pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
}

static void *reads_and_unlocks(void *unused) {
    long r = a;
    return (void *)(r + pthread_mutex_unlock(&m));
}

static void *locks(void *unused) {
    return (void *)(long)pthread_mutex_timedlock(&m, &soon);
}

static void *fails(void *unused) {
    assert(a != 2); //~ BUG assertion
    return unused;
}

static void *writes(void *unused) {
    long r = 0;
    a = 2;
    if (!a)
        r += pthread_mutex_unlock(&m);
    return (void *)r;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    init(PTHREAD_MUTEX_RECURSIVE, 0);
    pthread_create(&threads[0], 0, reads_and_unlocks, 0);
    pthread_create(&threads[1], 0, locks, 0);
    pthread_create(&threads[2], 0, fails, 0);
    pthread_create(&threads[3], 0, writes, 0);
    pthread_mutex_trylock(&m);
    pthread_exit(argv);
}
