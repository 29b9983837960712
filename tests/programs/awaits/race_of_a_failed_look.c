// Main waits for 2 with atomic loads. One thread writes 1 without care; another learns of that properly and stores 2. So only a look that
// fails can race with the plain write: the search is made without awaits, and finds it.
//@ check: bug data-race
#include <pthread.h>
#include <stdatomic.h>

static int value;
static atomic_int written;

static void *writes(void *arg)
{
    value = 1; //~ BUG data-race
    atomic_store(&written, 1);
    return arg;
}

static void *stores(void *arg)
{
    while (!atomic_load(&written)) {
    }
    __atomic_store_n(&value, 2, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, stores, NULL);
    while (__atomic_load_n(&value, __ATOMIC_SEQ_CST) != 2) {
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
