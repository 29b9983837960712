// C11 thread-specific storage with a destructor; main's value is deleted by hand.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static tss_t key;

static int work(void *arg)
{
    assert(tss_get(key) == NULL);
    int *value = malloc(sizeof *value);
    if (value == NULL)
        return 1;
    *value = *(int *)arg;
    assert(tss_set(key, value) == thrd_success);
    assert(*(int *)tss_get(key) == 4);
    return 0;
}

int main(void)
{
    thrd_t thread;
    static int four = 4;
    assert(tss_create(&key, free) == thrd_success);
    thrd_create(&thread, work, &four);
    tss_set(key, malloc(8));
    thrd_join(thread, NULL);
    free(tss_get(key));
    tss_set(key, NULL);
    tss_delete(key);
    return 0;
}
