// Threads are created without end. No execution ends, and the report says where.
//@ check: inconclusive message="T0 main goes round a loop"
#include <pthread.h>

static void *work(void *arg)
{
    return arg;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, NULL, work, NULL);
}
