// `writev` and `dprintf` wait for room in a pipe, `readv` for data.
//@ check --strategy dpor: safe
//@ check --strategy exhaustive: safe
//@ native
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];
static char data[65534];

static void *writer(void *unused)
{
    struct iovec parts[2] = {{"ab", 2}, {"cd", 2}};
    assert(writev(ends[1], parts, 2) == 4);
    assert(dprintf(ends[1], "%d", 123) == 3);
    return unused;
}

int main(void)
{
    static char target[sizeof data];
    char first[2], second[2], third[4];
    struct iovec parts[2] = {{first, 2}, {second, 2}};
    pthread_t thread;
    assert(pipe(ends) == 0);
    assert(write(ends[1], data, sizeof data) == sizeof data);
    pthread_create(&thread, NULL, writer, NULL);
    assert(read(ends[0], target, sizeof target) == sizeof target);
    assert(readv(ends[0], parts, 2) == 4);
    assert(first[0] == 'a' && first[1] == 'b' && second[0] == 'c' && second[1] == 'd');
    assert(read(ends[0], third, 4) == 3);
    pthread_join(thread, NULL);
    return 0;
}
