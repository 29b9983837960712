// Two atomic sections that find a mutex taken leave it as it was, so neither comes before the other, and the writes beside them race in either order.
//@ check: bug data-race
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t done = PTHREAD_ONCE_INIT;
static int x;

static void nothing(void) {}

static void look(void) {
    __VERIFIER_atomic_begin();
    pthread_mutex_trylock(&taken);
    pthread_once(&done, nothing);
    __VERIFIER_atomic_end();
}

static void *first(void *unused) {
    x = 1; //~ BUG data-race
    look();
    return unused;
}

static void *second(void *unused) {
    look();
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_mutex_lock(&taken);
    pthread_once(&done, nothing);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_mutex_unlock(&taken);
    return 0;
}
