// A cancellation point stands between two updates that belong together, and no clean-up handler repairs the damage.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>

static int left, right;

static void *update(void *arg)
{
    left++;
    pthread_testcancel();
    right++;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, update, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(left == right); //~ BUG assertion
    return 0;
}
