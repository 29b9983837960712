// Worker numbers start at 1, slots at 0: the last worker writes behind the array.
//@ check --strategy exhaustive: bug out-of-bounds
#include <pthread.h>
#include <stdint.h>

static int result[2];

static void *work(void *arg)
{
    result[(intptr_t)arg] = 1; //~ BUG out-of-bounds
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t i = 1; i <= 2; i++)
        pthread_create(&threads[i - 1], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
