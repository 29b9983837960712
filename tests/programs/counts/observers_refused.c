// A thread that is created while others run may follow one that was alone, and read what that one left: all writes are ordered. Main
// and the first thread write in either order; then the second thread comes, whose write is ordered with that of the first
// as well if that has not been made: 3 orders of the three writes in which main's comes before the second's.
//@ check --observers: safe executions=3 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;

static void *write_it(void *arg)
{
    shared = 1;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, write_it, NULL);
    shared = 2;
    pthread_create(&second, NULL, write_it, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
