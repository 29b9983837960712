// The first thread writes x or reads it, by its input; the second reads x, and its own input decides something that concerns nobody else. The
// second's branch is independent of the first's, so it need not be combined with the orders of the accesses.
//@ check --races ignore: safe executions=6
//@ check --races ignore --strategy unfold: safe executions=4
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *one(void *arg)
{
    int i = gordian_int("i1");
    i = i + 1;
    if (i == 5) {
        x = 5;
    } else {
        int a = x;
        (void)a;
    }
    return arg;
}

static void *two(void *arg)
{
    int i = gordian_int("i2");
    int b = x;
    if (i > 10)
        b = 0;
    (void)b;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
