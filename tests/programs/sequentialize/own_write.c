// T has seen `y`, so `x = 1` came before its own `x = 5`, and T reads 5. The rule for paired reads, as the paper prints it (RW2), forgets T's own
// writes between the write of T' and its copy, and would raise a false alarm with two sources.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

static int x, y;

static void *reader(void *arg)
{
    if (y == 1) {
        x = 5;
        assert(x == 5);
    }
    return arg;
}

static void *writer(void *arg)
{
    x = 1;
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
