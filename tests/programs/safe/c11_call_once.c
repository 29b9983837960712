// call_once: one call, finished before either caller goes on.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int calls;

static void initialise(void)
{
    calls++;
}

static int use(void *arg)
{
    (void)arg;
    call_once(&flag, initialise);
    assert(calls == 1);
    return 0;
}

int main(void)
{
    thrd_t thread;
    thrd_create(&thread, use, NULL);
    use(NULL);
    thrd_join(thread, NULL);
    return 0;
}
