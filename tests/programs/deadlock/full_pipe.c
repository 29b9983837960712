// The writer puts 100,000 bytes into a pipe, which holds 65,536: the rest waits for a reader. Main reads them, unless it finds the flag unset.
//@ check --strategy exhaustive: bug deadlock
//@ check --strategy dpor: bug deadlock
//@ check --strategy dpor-classic: bug deadlock
//@ check --strategy unfold: bug deadlock
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int ends[2];
static char data[100000];
static atomic_int begun;

static void *writer(void *unused)
{
    begun = 1;
    write(ends[1], data, sizeof data); //~ BUG deadlock
    return unused;
}

int main(void)
{
    pthread_t thread;
    static char target[sizeof data];
    pipe(ends);
    pthread_create(&thread, NULL, writer, NULL);
    if (begun)
        for (size_t n = 0; n < sizeof data;)
            n += read(ends[0], target + n, sizeof data - n);
    pthread_join(thread, NULL);
    return 0;
}
