// pthread_cleanup_pop(1) runs the handler on the normal way, pthread_exit runs all that are still pushed.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int log_of_calls;

static void append(void *arg)
{
    log_of_calls = log_of_calls * 10 + *(int *)arg;
}

static void *work(void *arg)
{
    static int one = 1, two = 2, three = 3;
    (void)arg;
    pthread_cleanup_push(append, &one);
    pthread_cleanup_push(append, &two);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(append, &three);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    assert(log_of_calls == 231);
    return 0;
}
