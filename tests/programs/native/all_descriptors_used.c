// When no descriptor is left, `open` fails before it truncates or creates a file, and `pipe` leaves nothing open.
//@ native
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
static void show(int result) {
    printf("%d %d\n", result, errno == EMFILE);
    errno = 0;
}
int main(void) {
    int fd, last = -1, ends[2];
    struct stat facts;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 1024;
    setrlimit(RLIMIT_NOFILE, &limit);
    fd = open("all_descriptors.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, "abc", 3);
    while ((fd = dup(1)) >= 0)
        last = fd;
    show(last);
    show(open("all_descriptors.tmp", O_RDWR | O_TRUNC));
    stat("all_descriptors.tmp", &facts);
    printf("%ld\n", (long)facts.st_size);
    show(open("another.tmp", O_RDWR | O_CREAT, 0600));
    printf("%d\n", access("another.tmp", F_OK));
    close(last);
    show(pipe(ends));
    printf("%d\n", dup(1) == last);
    unlink("all_descriptors.tmp");
    return 0;
}
