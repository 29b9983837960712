// While cancellation is disabled a request stays pending, even at a cancellation point; it acts once it is enabled again.
// The update of the pair is therefore always complete.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static int left, right;

static void *update(void *arg)
{
    int old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(old == PTHREAD_CANCEL_ENABLE);
    left++;
    pthread_testcancel();
    right++;
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, update, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(left == 1 && right == 1);
    assert(result == PTHREAD_CANCELED || result == NULL);
    return 0;
}
