// The process is killed by SIGPIPE if the reader closes its end before the byte is written.
//@ check --strategy dpor: bug abort message="killed by SIGPIPE"
//@ check --strategy exhaustive: bug abort message="killed by SIGPIPE"
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *unused)
{
    close(ends[0]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, reader, NULL);
    write(ends[1], "x", 1); //~ BUG abort
    pthread_join(thread, NULL);
    return 0;
}
