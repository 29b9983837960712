// A thousand threads, of which the first writes and three others, with numbers far apart, read: eight traces.
//@ check --races ignore: safe executions=8
//@ check --races ignore --strategy dpor-classic: safe executions=8
//@ check --races ignore --jobs 2: safe executions=8
//@ check --strategy random --runs 3: bounded
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *acts(void *arg)
{
    long number = (long)arg;
    if (number == 1)
        x = 1;
    if (number == 65 || number == 513 || number == 1000)
        return (void *)(long)x;
    return 0;
}

int main(void)
{
    pthread_t threads[1001];
    for (long i = 1; i <= 1000; i++)
        pthread_create(&threads[i], 0, acts, (void *)i);
    for (int i = 1; i <= 1000; i++)
        pthread_join(threads[i], 0);
    return 0;
}
