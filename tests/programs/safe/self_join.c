// A thread that joins itself is told EDEADLK (POSIX allows this answer, glibc gives it) and goes on.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void)
{
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return 0;
}
