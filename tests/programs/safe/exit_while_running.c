// main returns while a detached thread may still run. The process ends with it: a note in the report, not a finding.
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int progress;

static void *work(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        atomic_fetch_add(&progress, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    return atomic_load(&progress) > 3;
}
