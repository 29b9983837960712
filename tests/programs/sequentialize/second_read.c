// T reads the same write twice. The second read is local after the first has copied the value, so one source is enough; counted as reads, as
// `--strategy interference` does, it takes two. The report has both numbers.
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="k = 1, in 2 reads of thread 1"
//@ check --races ignore --strategy interference --max-interferences 1: bounded
//@ check --races ignore --strategy interference --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>

static int x;

static void *reader(void *arg)
{
    int a = x;
    int b = x;
    assert(!(a == 1 && b == 1)); //~ BUG assertion
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
