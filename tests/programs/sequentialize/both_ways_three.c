// With more than two threads reads of the others from T are refused.
//@ check --strategy sequentialize --max-interferences 1,1: inconclusive message="reads of T' from T are supported with two"
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *work(void *arg)
{
    x++;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
