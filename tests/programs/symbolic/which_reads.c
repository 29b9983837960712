// One thread writes `x` or `y` and R others read `x` or `y`, as their inputs say. A reader of what is written comes before or after the write, the
// others are in nobody's way: (2 + 1)^R for either variable, 2 * 3^R in all. Exploring each of the 2^(R + 1) paths in the 2^R
// orders that there are where all meet would be 2 * 4^R.
//@ check --races ignore --cflag=-DR=1: safe executions=6 blocked=0
//@ check --races ignore --cflag=-DR=2: safe executions=18 blocked=0
//@ check --races ignore --cflag=-DR=5: safe executions=486 blocked=0
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

#ifndef R
#define R 2
#endif

static int x, y;

static void *write(void *arg)
{
    if (gordian_int("written") > 100)
        x = 1;
    else
        y = 1;
    return arg;
}

static void *read(void *arg)
{
    int seen;
    if (gordian_int("read") > 100)
        seen = x;
    else
        seen = y;
    assert(seen == 0 || seen == 1);
    return arg;
}

int main(void)
{
    pthread_t writer, readers[R];
    pthread_create(&writer, NULL, write, NULL);
    for (int r = 0; r < R; r++)
        pthread_create(&readers[r], NULL, read, NULL);
    pthread_join(writer, NULL);
    for (int r = 0; r < R; r++)
        pthread_join(readers[r], NULL);
    assert(x + y == 1);
    return 0;
}
