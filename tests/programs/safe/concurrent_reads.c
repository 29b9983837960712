// Any number of threads may read the same plain object at once.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static const int table[3] = {2, 3, 5};
static int configured;

static void *read_all(void *arg)
{
    return (void *)(intptr_t)(table[1] + configured + (arg != NULL));
}

int main(void)
{
    pthread_t a, b;
    void *from_a, *from_b;
    configured = 10;
    pthread_create(&a, NULL, read_all, NULL);
    pthread_create(&b, NULL, read_all, NULL);
    pthread_join(a, &from_a);
    pthread_join(b, &from_b);
    assert((intptr_t)from_a == 13 && from_a == from_b);
    configured = 0;
    return 0;
}
