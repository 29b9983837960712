// The result of a cancelled thread is PTHREAD_CANCELED, no pointer to anything.
//@ check --strategy exhaustive: bug out-of-bounds
#include <pthread.h>

static int value = 3;

static void *work(void *arg)
{
    (void)arg;
    pthread_testcancel();
    return &value;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return *(int *)result - 3; //~ BUG out-of-bounds
}
