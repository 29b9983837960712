// T can read `x` as 1 only between the write of T' and T' reading that itself: afterwards T' holds the lock until it wrote 2. Then T reads `y`, which T' writes
// later still. The rule for live blocks, as the paper prints it (RW1), takes the injected write of T for a write that would disturb the read of T', and
// loses the bug. Two sources: `x` and `y`.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int a = x;
    pthread_mutex_unlock(&m);
    int b = y;
    assert(!(a == 1 && b == 1)); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
    pthread_mutex_lock(&m);
    int c = x;
    x = c + 1;
    pthread_mutex_unlock(&m);
    y = 1;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
