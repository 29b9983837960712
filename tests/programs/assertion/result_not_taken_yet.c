// `pthread_join` writes the result of the thread to memory that others read: they can look after the end of the thread and before that.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static void *result;
static atomic_int done;

static void *work(void *arg)
{
    (void)arg;
    done = 1;
    return (void *)1;
}

static void *look(void *arg)
{
    if (done)
        assert(result); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t worker, looker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&looker, NULL, look, NULL);
    pthread_join(worker, &result);
    pthread_join(looker, NULL);
    return 0;
}
