// T uses a thread-local variable of T', which may have ended by then. That a thread ends is no event, so it is refused; those of T itself are no matter.
//@ check --races ignore: bug assertion,use-after-free
//@ check --races ignore --strategy sequentialize: inconclusive message="a thread-local variable of another one"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Thread_local int own = 5;
static int *_Atomic place;

static void *gives(void *arg)
{
    own = 7;
    place = &own;
    return arg;
}

static void *uses(void *arg)
{
    own++;
    int *at = place;
    assert(own == 6);
    int value = at ? *at : 0; //~ BUG use-after-free
    assert(value != 7); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, gives, NULL);
    pthread_create(&second, NULL, uses, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
