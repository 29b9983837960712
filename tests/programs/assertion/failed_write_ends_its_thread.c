// The worker ends at once if it cannot write, and then nothing tells main that it wrote. Main closes the file before or after that.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int ends[2];
static atomic_int written;

static void *work(void *arg)
{
    if (write(ends[1], "x", 1) < 0)
        pthread_exit(NULL);
    written = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, work, NULL);
    close(ends[1]);
    pthread_join(thread, NULL);
    assert(written); //~ BUG assertion
    return 0;
}
