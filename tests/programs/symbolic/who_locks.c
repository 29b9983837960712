// Each of N threads takes the lock only if its own input says so. If K of them do, there are K! orders; the inputs and the orders
// together are the sum over K of (N over K) * K!: 5, 16, 65, 326. Exploring each of the 2^N paths in each of the N! orders
// would be 8, 48, 384, 3840.
//@ check --cflag=-DN=2: safe executions=5 blocked=0
//@ check --cflag=-DN=3: safe executions=16 blocked=0
//@ check --cflag=-DN=4: safe executions=65 blocked=0
//@ check --cflag=-DN=5: safe executions=326 blocked=0
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *arg)
{
    if (gordian_int("eager") > 100) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    assert(counter <= N);
    return 0;
}
