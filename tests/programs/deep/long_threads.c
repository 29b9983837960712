// Two threads of some 50,000 steps each on variables of their own, and one race at their ends: two traces, and plans as long as an execution.
//@ check --races ignore --max-steps 200000: safe executions=2
//@ check --races ignore --max-steps 200000 --jobs 2: safe executions=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int mine[2], last;

static void *works(void *arg)
{
    long number = (long)arg;
    for (int i = 0; i < 24500; i++)
        mine[number] = mine[number] + 1;
    last = number;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, works, (void *)0);
    pthread_create(&b, 0, works, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
