// A handle and a result that other threads look at: the first thread looks at the handle of the second before or after it is written, the second at the
// result of the first, and both and main access `word`. There are 10 traces, as `classes` counts them.
//@ check --races ignore: safe executions=10 blocked=0
//@ check --races ignore --strategy dpor-classic: safe executions=10 blocked=0
#include <pthread.h>
#include <stdatomic.h>

static pthread_t first, second;
static void *result;
static atomic_int word;

static void *look_at_handle(void *arg)
{
    (void)arg;
    pthread_t seen = second;
    word = 1;
    return (void *)(seen != 0);
}

static void *look_at_result(void *arg)
{
    (void)arg;
    void *seen = result;
    word = 2;
    return seen;
}

int main(void)
{
    pthread_create(&first, NULL, look_at_handle, NULL);
    pthread_create(&second, NULL, look_at_result, NULL);
    pthread_join(first, &result);
    int last = word;
    pthread_join(second, NULL);
    return last & 0;
}
