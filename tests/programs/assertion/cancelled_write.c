// A write that is cancelled when part of it is done returns how much that is. One that was not begun does not return.
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char data[70000];
static long n_written = -2;

static void *writer(void *unused)
{
    n_written = write(ends[1], data, sizeof data);
    pthread_testcancel();
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED || n_written != -2 && n_written != 65536)
        return 1;
    assert(n_written == -2); //~ BUG assertion
    return 0;
}
