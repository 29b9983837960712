// C11 threads: thrd_create, thrd_join with its result, mtx_t.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int counter;

static int increment(void *arg)
{
    mtx_lock(&lock);
    counter += *(int *)arg;
    mtx_unlock(&lock);
    return 6;
}

int main(void)
{
    thrd_t thread;
    int amount = 2, result;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(thrd_create(&thread, increment, &amount) == thrd_success);
    assert(mtx_lock(&lock) == thrd_success);
    counter++;
    assert(mtx_unlock(&lock) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success);
    assert(result == 6 && counter == 3);
    mtx_destroy(&lock);
    return 0;
}
