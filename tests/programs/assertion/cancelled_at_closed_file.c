// A thread reads from a descriptor that is not open: it is cancelled there, or the call fails and it returns before. The second was left out, because the step
// that acts on the cancellation counted as possible only behind it.
// Two executions: the read comes before the cancellation or behind it.
//@ check: bug assertion executions=2
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
// The same for a write to a descriptor that was never opened.
//@ check -- write: bug assertion
//@ check --strategy dpor-classic -- write: bug assertion
//@ check --strategy exhaustive -- write: bug assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int writes, fd;

static void *use(void *result) {
    char byte = 'x';
    if (writes)
        write(fd, &byte, 1);
    else
        read(-1, &byte, 1);
    return result;
}

int main(int argc, char **argv) {
    (void)argv;
    pthread_t thread;
    void *result;
    writes = argc > 1;
    fd = open("/nonexistent", O_RDONLY);
    pthread_create(&thread, 0, use, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED); //~ BUG assertion
}
