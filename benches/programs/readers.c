// One writer of three writes and three readers of three reads each: 12! / (3!)^4 = 369600 executions.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int value;

static void *write_values(void *unused)
{
    for (int i = 1; i <= 3; i++)
        value = i;
    return unused;
}

static void *read_values(void *unused)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += value;
    return (void *)(long)sum;
}

int main(void)
{
    pthread_t writer, readers[3];
    pthread_create(&writer, 0, write_values, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], 0, read_values, 0);
    pthread_join(writer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(readers[i], 0);
    return 0;
}
