// How often the first loop goes round is an input: a model checker needs `--unroll` for it.
//@ check --races ignore --strategy sequentialize --max-interferences 1 --unroll 3: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

static int x;

static void *reader(void *arg)
{
    int n = gordian_int("n"), sum = 0;
    for (int i = 0; i < n; i++)
        sum += x;
    assert(sum != 2); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
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
