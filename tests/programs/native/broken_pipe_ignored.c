// Who ignores SIGPIPE gets an error instead, from streams when they are flushed.
//@ native
//@ check: safe
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    assert(signal(SIGPIPE, SIG_IGN) == SIG_DFL);
    assert(pipe(ends) == 0);
    close(ends[0]);
    errno = 0;
    assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    assert(write(ends[1], "x", 0) == 0);
    FILE *stream = fdopen(ends[1], "w");
    assert(fputs("text", stream) >= 0);
    errno = 0;
    assert(fflush(stream) == EOF && errno == EPIPE && ferror(stream));
    assert(signal(SIGPIPE, SIG_DFL) == SIG_IGN);
    return 0;
}
