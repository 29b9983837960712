// Atomic sections that touch nothing in common put no order between what stands around them, whichever comes first. Nor
// does the order in which a search happens to execute them hide the race.
//@ check: bug data-race
#include <pthread.h>
#include <string.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static union {
    long whole;
    int half[2];
} u;
static int x;

static void *all(void *arg)
{
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_end();
    u.whole = 0;
    __VERIFIER_atomic_begin();
    __VERIFIER_atomic_end();
    return arg;
}

static void *half(void *arg)
{
    __VERIFIER_atomic_begin(); u.half[1] = x; __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, all, 0);
    pthread_create(&threads[1], 0, half, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
