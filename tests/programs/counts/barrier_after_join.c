// Who joins and then comes to a barrier can be there before the other although it still waited for the join when the other came: a join and
// a barrier move a thread without a step of its own. Two orders of the writes, and two of the arrivals at the barrier.
//@ check: safe executions=4 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;
static pthread_barrier_t barrier;

static void *write_one(void *arg)
{
    a = 1;
    return arg;
}

static void *write_two(void *arg)
{
    a = 2;
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t x, y;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&x, NULL, write_one, NULL);
    pthread_create(&y, NULL, write_two, NULL);
    pthread_join(x, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(y, NULL);
    return 0;
}
