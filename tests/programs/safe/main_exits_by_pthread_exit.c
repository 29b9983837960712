// main ends by pthread_exit: the process lives on until the last thread has ended, and that thread may join main's children.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int value;

static void *set_value(void *arg)
{
    (void)arg;
    value = 5;
    return NULL;
}

static void *join_other(void *arg)
{
    pthread_join(*(pthread_t *)arg, NULL);
    assert(value == 5);
    return NULL;
}

int main(void)
{
    static pthread_t setter;
    pthread_t joiner;
    pthread_create(&setter, NULL, set_value, NULL);
    pthread_create(&joiner, NULL, join_other, &setter);
    pthread_exit(NULL);
}
