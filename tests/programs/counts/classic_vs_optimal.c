// What wake-up trees gain over the backtrack sets of 2005. A writer of x and N readers, each of which first writes a variable of its own and reads
// it back: only the order of each read with the write matters, 2^N traces, which `dpor` executes once each. `dpor-classic` finds that a
// read races with the write, goes back to before the write, and runs the reader there although what the reader does first was explored
// already and sleeps: such executions are abandoned when everybody left sleeps.
//@ check --races ignore: safe executions=8 blocked=0
//@ check --races ignore --strategy dpor-classic: safe executions=8 blocked=6
//@ check --races ignore --cflag=-DN=8: safe executions=256 blocked=0
//@ check --races ignore --cflag=-DN=8 --strategy dpor-classic: safe executions=256 blocked=3025
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static int x, own[N];

static void *write_x(void *arg)
{
    x = 1;
    return arg;
}

static void *read_x(void *arg)
{
    int tid = (int)(intptr_t)arg;
    own[tid] = 1;
    return (void *)(intptr_t)(own[tid] + x);
}

int main(void)
{
    pthread_t writer, reader[N];
    pthread_create(&writer, NULL, write_x, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&reader[i], NULL, read_x, (void *)(intptr_t)i);
    pthread_join(writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(reader[i], NULL);
    return 0;
}
