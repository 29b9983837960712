// A thread that would be killed by writing to a pipe without readers may be cancelled there instead: three traces, in one of which it is.
//@ check --races ignore: bug abort executions=3 blocked=0
//@ check --races ignore --strategy dpor-classic: bug abort executions=3
//@ check --races ignore --strategy classes: bug abort
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *write_in_vain(void *arg)
{
    close(ends[0]);
    write(ends[1], "k", 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pipe(ends);
    pthread_create(&thread, NULL, write_in_vain, NULL);
    pthread_cancel(thread);
    return 0;
}
