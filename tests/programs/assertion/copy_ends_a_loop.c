// The loop ends in its second round, because of what it has copied in the first. It once counted as one that waits, and the assertion behind it
// was not seen.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct bytes {
    char at[3];
};

static struct bytes a = {{1, 1, 1}}, b = {{1, 1, 1}};
static atomic_int skip;

__attribute__((noinline)) static int first(struct bytes *bytes)
{
    return bytes->at[0];
}

static void *copy(void *arg)
{
    struct bytes p = {{0}}, q = {{0}};
    if (skip)
        return arg;
    for (;;) {
        p = a;
        if (first(&q))
            break;
        q = b;
    }
    assert(!first(&p)); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, copy, NULL);
    skip = 1;
    pthread_join(thread, NULL);
    return 0;
}
