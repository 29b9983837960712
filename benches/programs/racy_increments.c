// Two threads of five increments each without a lock: ten accesses each, C(20, 10) = 184756 executions.
#include <pthread.h>
static int counter;

static void *work(void *unused)
{
    for (int i = 0; i < 5; i++)
        counter++;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter < 2;
}
