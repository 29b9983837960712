// An atomic section that a false assumption blocks ends its execution. Planned before what blocks it, it is a guess, and an attempt to lock that is asleep meanwhile
// is not woken by it: `dpor` by itself left out that the section and the read see different values while both attempts succeed.
//@ check --races ignore --leaks: safe
//@ check --races ignore --leaks --strategy exhaustive: safe
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int a, b;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writes(void *argument) {
    long r = 0;
    if (pthread_mutex_trylock(&mutex) == 0) {
        a = 1;
        pthread_mutex_unlock(&mutex);
    } else {
        r--;
    }
    (void)argument;
    return (void *)r;
}

static void *reads(void *argument) {
    __VERIFIER_atomic_begin();
    b++;
    gordian_assume(a == 0);
    b++;
    __VERIFIER_atomic_end();
    (void)argument;
    return (void *)(long)a;
}

int main(void) {
    pthread_t threads[2];
    void *result;
    pthread_create(&threads[0], 0, writes, 0);
    pthread_create(&threads[1], 0, reads, 0);
    if (pthread_mutex_trylock(&mutex) == 0) pthread_mutex_unlock(&mutex);
    pthread_join(threads[1], &result);
    return 0;
}
