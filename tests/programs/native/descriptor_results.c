// Results of functions on descriptors, with `errno`.
//@ native
//@ check: safe
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#define SHOW(call)                                            \
    do {                                                      \
        errno = 0;                                            \
        long result = (long)(call);                           \
        printf("%s = %ld, errno %d\n", #call, result, errno); \
    } while (0)

int main(void)
{
    int ends[2];
    char bytes[8];
    struct iovec bad[2] = {{bytes, ~0ul}, {bytes, 8}};
    struct iovec good[2] = {{bytes, 2}, {bytes + 2, 6}};
    pipe(ends);
    SHOW(dup3(ends[0], ends[0], 0));
    SHOW(dup3(ends[0], 9, 1));
    SHOW(dup3(ends[0], 9, O_CLOEXEC));
    SHOW(fcntl(9, F_GETFD));
    SHOW(dup2(ends[0], 9));
    SHOW(fcntl(9, F_GETFD));
    SHOW(fcntl(ends[0], F_GETFD));
    SHOW(fcntl(ends[0], F_SETFD, FD_CLOEXEC));
    SHOW(fcntl(ends[0], F_GETFD));
    SHOW(fcntl(77, F_GETFD));
    SHOW(fcntl(ends[0], F_DUPFD, 100000000));
    SHOW(writev(ends[1], good, -1));
    SHOW(writev(ends[1], good, 1025));
    SHOW(writev(ends[1], bad, 2));
    SHOW(write(ends[1], "abc", 3));
    SHOW(readv(ends[0], bad, 2));
    SHOW(readv(ends[0], good, -1));
    SHOW(readv(ends[0], good, 0));
    SHOW(readv(ends[0], good, 2));
    SHOW(ftruncate(ends[0], 0));
    SHOW(pread(ends[0], bytes, 1, -1));
    SHOW(close(-1));
    SHOW(dup2(ends[0], -1));
    SHOW(dup2(77, 3));
    SHOW(open("", O_RDONLY));
    SHOW(write(ends[1], NULL, 0));

    const char *path = "descriptor_results.tmp";
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    SHOW(fcntl(fd, F_GETFD));
    FILE *stream = fdopen(fd, "a");
    printf("%d\n", fcntl(fd, F_GETFL) & O_APPEND);
    fclose(stream);
    unlink(path);
    return 0;
}
