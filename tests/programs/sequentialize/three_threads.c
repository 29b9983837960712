// Three threads: the one that fails takes a write of each of the others, which take nothing of anybody.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion message="k = 2, in 2 reads of thread 2"
//@ check --races ignore --cflag=-DLOOP --strategy sequentialize --max-interferences 2: bug assertion
#include <assert.h>
#include <pthread.h>

static int volatile x, y;

static void *set_x(void *arg)
{
    x = 1;
    return arg;
}

static void *check_both(void *arg)
{
    int a = x, b = y;
    assert(!(a == 1 && b == 2)); //~ BUG assertion
    return arg;
}

static void *set_y(void *arg)
{
    y = 1;
    y = 2;
    return arg;
}

int main(void)
{
    void *(*const starts[3])(void *) = {set_x, check_both, set_y};
    pthread_t threads[3];
#ifdef LOOP
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
#else
    (void)starts;
    pthread_create(&threads[0], NULL, set_x, NULL);
    pthread_create(&threads[1], NULL, check_both, NULL);
    pthread_create(&threads[2], NULL, set_y, NULL);
#endif
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
