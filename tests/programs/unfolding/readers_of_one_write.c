// A write may come before or after each of three reads. With a copy of the variable for each thread the write knows which reads came
// before it: 2^3 events. With read arcs it knows of none: each read takes the old value or the new one, and two executions have all.
//@ check --races ignore: safe executions=8
//@ check --races ignore --strategy unfold: safe executions=8
//@ check --races ignore --strategy contextual: safe executions=2
#include <pthread.h>
#include <stdatomic.h>

#define READERS 3

static atomic_int x;

static void *writer(void *arg)
{
    x = 5;
    return arg;
}

static void *reader(void *arg)
{
    int seen = x;
    (void)seen;
    return arg;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    pthread_create(&threads[0], NULL, writer, NULL);
    for (int i = 1; i <= READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
