// Main's exchange succeeds, the others fail whatever the inputs are, which only the solver knows: they read. Each of them comes before
// main's or after it, and the exit waits for them: 2 × 2.
//@ check: safe executions=4
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;

static void *fails(void *arg)
{
    int expected = 5 + 2 * gordian_range(0, 1, "n");
    atomic_compare_exchange_strong(&shared, &expected, 6);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    int expected = 0;
    pthread_create(&first, NULL, fails, NULL);
    pthread_create(&second, NULL, fails, NULL);
    atomic_compare_exchange_strong(&shared, &expected, 1);
    return 0;
}
