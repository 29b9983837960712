// Both threads fail. If the reader takes the second write, the writer fails first, as the machine makes its steps; with the first write the reader does.
//@ check --races ignore --keep-going: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="k = 1"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int z;

static void *writer(void *arg)
{
    z = 1;
    int old = atomic_fetch_add(&z, 1);
    assert(old != 1); //~ BUG assertion
    return arg;
}

static void *reader(void *arg)
{
    int seen = z;
    assert(seen < 1); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
