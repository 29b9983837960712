// The thread returns a literal when it has nothing else, and the joiner frees what it gets. Which it is depends on the schedule.
//@ check --strategy exhaustive: bug bad-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int quick;

static void *describe(void *arg)
{
    (void)arg;
    if (atomic_load(&quick))
        return (void *)"nothing";
    return strdup("something");
}

int main(void)
{
    pthread_t thread;
    void *text;
    pthread_create(&thread, NULL, describe, NULL);
    atomic_store(&quick, 1);
    pthread_join(thread, &text);
    free(text); //~ BUG bad-free
    return 0;
}
