// cnd_timedwait ends with success or thrd_timedout; cnd_broadcast is a signal for all.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t cond;
static int events;

static int notify(void *arg)
{
    (void)arg;
    mtx_lock(&lock);
    events = 1;
    mtx_unlock(&lock);
    cnd_broadcast(&cond);
    return 0;
}

int main(void)
{
    thrd_t thread;
    struct timespec deadline;
    mtx_init(&lock, mtx_plain);
    cnd_init(&cond);
    thrd_create(&thread, notify, NULL);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec += 3;
    mtx_lock(&lock);
    if (events == 0) {
        int result = cnd_timedwait(&cond, &lock, &deadline);
        assert(result == thrd_timedout || (result == thrd_success && events == 1));
    }
    mtx_unlock(&lock);
    thrd_join(thread, NULL);
    cnd_destroy(&cond);
    mtx_destroy(&lock);
    return 0;
}
