// Two writers put more into a pipe than it holds while main reads. A short write is made whole, so the pair of bytes is never torn.
//@ check --strategy dpor: safe
//@ check --strategy exhaustive: safe
//@ check --strategy dpor-classic: safe
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static char data[65535];

static void *pair(void *unused)
{
    assert(write(ends[1], "ab", 2) == 2);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    char byte;
    assert(pipe(ends) == 0);
    assert(write(ends[1], data, sizeof data) == sizeof data);
    pthread_create(&first, NULL, pair, NULL);
    pthread_create(&second, NULL, pair, NULL);
    static char target[sizeof data];
    assert(read(ends[0], target, sizeof target) == sizeof target);
    char text[4];
    for (int n = 0; n < 4; n++) {
        assert(read(ends[0], &byte, 1) == 1);
        text[n] = byte;
    }
    assert(text[0] == 'a' && text[1] == 'b' && text[2] == 'a' && text[3] == 'b');
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
