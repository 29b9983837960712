// A thread hands a heap object to its joiner. The object is private to the thread until it ends: no race, nothing leaks.
//@ check --strategy exhaustive --leaks: safe
//@ check --strategy exhaustive --uninit: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct range {
    int from, to, sum;
};

static void *sum_up(void *arg)
{
    struct range *range = arg;
    range->sum = 0;
    for (int i = range->from; i < range->to; i++)
        range->sum += i;
    return range;
}

int main(void)
{
    struct range *range = malloc(sizeof *range);
    if (range == NULL)
        return 1;
    range->from = 0;
    range->to = 3;
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, sum_up, range);
    pthread_join(thread, &result);
    assert(result == range);
    assert(range->sum == 3);
    free(result);
    return 0;
}
