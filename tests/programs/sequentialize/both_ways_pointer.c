// What T' reads of T is an address. If it is that of an object that is there when T' begins, T' follows it. With NEW it is one that T allocates while both
// run, and T' runs first: that is left out, and the report says so.
//@ check --strategy sequentialize --max-interferences 1,1 --races ignore: bug assertion
//@ check --cflag=-DNEW --strategy sequentialize --max-interferences 1,1 --races ignore: bounded message="an object that T makes while both run"
//@ check --cflag=-DNEW --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int first_value = 1, second_value = 3;
static int *_Atomic place = &first_value;
static atomic_int seen;

static void *gives(void *arg)
{
#ifdef NEW
    int *new = malloc(sizeof *new);
    *new = 3;
    place = new;
#else
    place = &second_value;
#endif
    assert(seen != 3); //~ BUG assertion
    return arg;
}

static void *follows(void *arg)
{
    int *at = place;
    seen = *at;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, gives, NULL);
    pthread_create(&second, NULL, follows, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
