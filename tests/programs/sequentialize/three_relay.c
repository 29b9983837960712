// A failure in which one of the other threads reads what another one wrote has no k: it is not looked for.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

static int volatile x, y;

static void *begin(void *arg)
{
    x = 1;
    return arg;
}

static void *relay(void *arg)
{
    if (x)
        y = 1;
    return arg;
}

static void *end(void *arg)
{
    assert(!y); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t b, r, e;
    pthread_create(&b, NULL, begin, NULL);
    pthread_create(&r, NULL, relay, NULL);
    pthread_create(&e, NULL, end, NULL);
    pthread_join(b, NULL);
    pthread_join(r, NULL);
    pthread_join(e, NULL);
    return 0;
}
