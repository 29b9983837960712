// Only the schedules in which the worker is first reach the unknown function: the others do not make the program safe.
//@ check --strategy exhaustive --keep-going: inconclusive message="consult_the_oracle"
#include <pthread.h>
#include <stdatomic.h>

extern void consult_the_oracle(void);

static atomic_int asked;

static void *ask(void *arg)
{
    atomic_store(&asked, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, ask, NULL);
    if (atomic_load(&asked))
        consult_the_oracle();
    pthread_join(thread, NULL);
    return 0;
}
