// A bug that needs both: the worker must come between the two reads, and the input must be 'k'.
//@ check --sym-arg 1 1 --races ignore: bug assertion
// With another letter asked for there is none.
//@ check --sym-arg 1 1 --races ignore --cflag=-DNEVER: safe
#include <assert.h>
#include <pthread.h>

static int shared;

static void *worker(void *letter)
{
#ifdef NEVER
    shared = 0;
#else
    shared = *(char *)letter == 'k';
#endif
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argc;
    pthread_create(&thread, NULL, worker, argv[1]);
    int before = shared, after = shared;
    pthread_join(thread, NULL);
    assert(before == after); //~ BUG assertion
    return 0;
}
