// Handlers of signals are not run, so nothing can be said of a broken pipe in a program that has one for it.
//@ check: inconclusive message="SIGPIPE"
#include <signal.h>
#include <unistd.h>

static void handler(int signal)
{
    (void)signal;
}

int main(void)
{
    int ends[2];
    signal(SIGPIPE, handler);
    pipe(ends);
    close(ends[0]);
    write(ends[1], "x", 1);
    return 0;
}
