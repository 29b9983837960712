// T' allocates an object, fills it and makes it known; T reads the pointer and, too early, a field that is filled later. The pointer and the first field are
// two sources. The second field is not: T reads what T' has not written yet.
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct pair {
    int first, second;
};

static struct pair *known;

static void *reader(void *arg)
{
    struct pair *pair = known;
    if (pair)
        assert(pair->first == pair->second); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    struct pair *pair = calloc(1, sizeof *pair);
    if (!pair)
        return arg;
    pair->first = 1;
    known = pair;
    pair->second = 1;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(known);
    return 0;
}
