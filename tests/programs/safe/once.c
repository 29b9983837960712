// pthread_once runs its function once, and every caller returns only after it ran: the plain global is initialised for both.
// Traces: either comes first.
//@ check: safe executions=2 blocked=0
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls;
static int table;

static void initialise(void)
{
    calls++;
    table = 9;
}

static void *use(void *arg)
{
    (void)arg;
    pthread_once(&once, initialise);
    assert(table == 9);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    assert(calls == 1);
    return 0;
}
