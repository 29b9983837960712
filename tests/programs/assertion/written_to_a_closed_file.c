// Main closes a file, before or after the worker comes to write to it; the worker does nothing else.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int file;
static atomic_int written;

static void *work(void *arg)
{
    (void)arg;
    atomic_store(&written, write(file, "x", 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    file = open("closed.txt", O_CREAT | O_RDWR, 0600);
    pthread_create(&thread, NULL, work, NULL);
    close(file);
    pthread_join(thread, NULL);
    assert(atomic_load(&written)); //~ BUG assertion
    return 0;
}
