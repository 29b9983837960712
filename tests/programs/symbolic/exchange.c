// Two threads try to swap what inputs say for a number. Only one of them can win if both expect the same; with ABA an input lets
// the first put back what was there, and the second wins as well.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ check --cflag=-DABA: bug assertion message="wins < 2"
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int slot;
int wins, expects;

void *swap(void *to)
{
    int old = expects;
    if (atomic_compare_exchange_strong(&slot, &old, *(int *)to))
        return to;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    void *one, *two;
    int values[2] = {gordian_int("first"), gordian_int("second")};
    expects = gordian_int("expects");
#ifndef ABA
    gordian_assume(values[0] != expects && values[1] != expects);
#endif
    pthread_create(&first, 0, swap, &values[0]);
    pthread_create(&second, 0, swap, &values[1]);
    pthread_join(first, &one);
    pthread_join(second, &two);
    wins = (one != 0) + (two != 0);
    assert(wins < 2);
    assert(expects != 0 || wins > 0);
    return 0;
}
