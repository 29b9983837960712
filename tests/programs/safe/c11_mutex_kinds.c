// C11 mutexes: recursive ones count, trylock says thrd_busy, timedlock may say thrd_timedout.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t recursive, timed;

static int try_both(void *arg)
{
    struct timespec deadline;
    (void)arg;
    assert(mtx_trylock(&recursive) == thrd_busy);
    timespec_get(&deadline, TIME_UTC);
    deadline.tv_sec++;
    int result = mtx_timedlock(&timed, &deadline);
    assert(result == thrd_success || result == thrd_timedout);
    if (result == thrd_success)
        mtx_unlock(&timed);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&recursive, mtx_plain | mtx_recursive);
    mtx_init(&timed, mtx_timed);
    mtx_lock(&recursive);
    assert(mtx_trylock(&recursive) == thrd_success);
    mtx_unlock(&recursive);
    mtx_lock(&timed);
    thrd_create(&thread, try_both, NULL);
    mtx_unlock(&timed);
    thrd_join(thread, NULL);
    mtx_unlock(&recursive);
    mtx_destroy(&timed);
    mtx_destroy(&recursive);
    return 0;
}
