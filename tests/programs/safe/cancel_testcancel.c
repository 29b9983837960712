// Deferred cancellation acts at pthread_testcancel only: either the thread is cancelled there (and its two clean-up handlers run,
// the last pushed first) or the request came too late and it returns normally. The two steps before are never torn apart.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int first_half, second_half;
static int order[2], n_cleaned;

static void note(void *arg)
{
    order[n_cleaned++] = *(int *)arg;
}

static void *work(void *arg)
{
    static int outer = 1, inner = 2;
    pthread_cleanup_push(note, &outer);
    pthread_cleanup_push(note, &inner);
    first_half = 1;
    second_half = 1;
    pthread_testcancel();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(first_half == second_half && first_half == 1);
    if (result == PTHREAD_CANCELED)
        assert(n_cleaned == 2 && order[0] == 2 && order[1] == 1);
    else
        assert(result == NULL && n_cleaned == 0);
    return 0;
}
