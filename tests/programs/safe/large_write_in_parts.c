// A write of more than a pipe holds goes on when the reader has made room, and returns when all is written.
//@ check --strategy dpor: safe
//@ check --strategy exhaustive: safe
//@ native
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

enum { SIZE = 150000 };
static int ends[2];
static char data[SIZE];

static void *writer(void *unused)
{
    for (int n = 0; n < SIZE; n += 1000)
        data[n] = (char)(n / 1000);
    assert(write(ends[1], data, SIZE) == SIZE);
    close(ends[1]);
    return unused;
}

int main(void)
{
    pthread_t thread;
    static char target[SIZE];
    assert(pipe(ends) == 0);
    pthread_create(&thread, NULL, writer, NULL);
    ssize_t n, total = 0;
    while ((n = read(ends[0], target + total, SIZE - total > 0 ? SIZE - total : 1)) > 0)
        total += n;
    assert(n == 0 && total == SIZE);
    for (int n = 0; n < SIZE; n += 1000)
        assert(target[n] == (char)(n / 1000));
    pthread_join(thread, NULL);
    return 0;
}
