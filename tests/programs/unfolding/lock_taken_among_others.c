// An atomic section takes a lock, gives it back and takes it again, so that it has no single operation that tells what the lock holds after it. The lock that
// the section took and the same lock given back had one name in the stateful strategies, so they did not see the reader go on behind it.
//@ check --races ignore --strategy dpor: bug assertion
//@ check --races ignore --strategy unfold: bug assertion
//@ check --races ignore --strategy contextual: bug assertion
//@ check --races ignore --strategy stateful: bug assertion
//@ check --races ignore --strategy stateful-naive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int a, b;

static void *takes_twice(void *unused) {
    __VERIFIER_atomic_begin();
    int failed = pthread_mutex_trylock(&m);
    if (!failed) {
        pthread_mutex_unlock(&m);
        failed = pthread_mutex_trylock(&m);
    }
    __VERIFIER_atomic_end();
    if (!failed) {
        b = 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *reads(void *unused) {
    pthread_mutex_lock(&m);
    int seen = b;
    seen = seen * 2 + a;
    seen = seen * 2 + a;
    assert(seen != 5); //~ BUG assertion
    pthread_mutex_unlock(&m);
    return unused;
}

static void *writes(void *unused) {
    a = 1;
    return unused;
}

int main(void) {
    pthread_t t, u, v;
    pthread_create(&t, NULL, takes_twice, NULL);
    pthread_create(&u, NULL, reads, NULL);
    pthread_create(&v, NULL, writes, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, NULL);
    return 0;
}
