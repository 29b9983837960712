// What a pipe takes: 65,536 bytes, short writes whole or not at all. Reads of nothing and of the wrong end do not wait.
//@ native
//@ check: safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char block[70000];

int main(void)
{
    int ends[2];
    assert(pipe(ends) == 0);
    assert(read(ends[0], block, 0) == 0);
    errno = 0;
    assert(read(ends[1], block, 1) == -1 && errno == EBADF);
    errno = 0;
    assert(write(ends[0], block, 1) == -1 && errno == EBADF);
    assert(write(ends[1], block, 0) == 0);

    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int n = 0;
    while (write(ends[1], block, 4096) > 0)
        n++;
    printf("%d blocks, errno %d\n", n, errno);
    assert(read(ends[0], block, 4096) == 4096);
    assert(write(ends[1], block, 4096) == 4096);
    errno = 0;
    printf("%d ", (int)write(ends[1], block, 1));
    printf("errno %d\n", errno);

    int others[2];
    assert(pipe2(others, O_NONBLOCK) == 0);
    printf("%d\n", (int)write(others[1], block, sizeof block));
    errno = 0;
    printf("%d ", (int)write(others[1], block, sizeof block));
    printf("errno %d\n", errno);
    return 0;
}
