// `umask` and `F_SETFL` have their effect.
//@ native
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static int mode_of(const char *path) {
    struct stat facts;
    assert(stat(path, &facts) == 0);
    return facts.st_mode & 0777;
}
int main(void) {
    const char *path = "umask_and_flags.tmp";
    unlink(path);
    umask(022);
    printf("%o\n", (unsigned)umask(077));
    int fd = open(path, O_CREAT | O_RDWR, 0666);
    printf("%o\n", mode_of(path));
    assert(write(fd, "abcdef", 6) == 6);
    assert(fcntl(fd, F_SETFL, O_APPEND) == 0);
    assert(fcntl(fd, F_GETFL) & O_APPEND);
    lseek(fd, 0, SEEK_SET);
    assert(write(fd, "xy", 2) == 2);
    assert(fcntl(fd, F_SETFL, 0) == 0);
    lseek(fd, 0, SEEK_SET);
    assert(write(fd, "Z", 1) == 1);
    char text[16] = {0};
    lseek(fd, 0, SEEK_SET);
    printf("%d ", (int)read(fd, text, 15));
    puts(text);
    close(fd);
    unlink(path);
    umask(0);
    fd = open(path, O_CREAT | O_RDWR, 0666);
    printf("%o\n", mode_of(path));
    close(fd);
    unlink(path);
    int ends[2];
    assert(pipe(ends) == 0);
    assert(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    assert(read(ends[0], text, 1) == -1 && errno == EAGAIN);
    assert(write(ends[1], "q", 1) == 1);
    assert(read(ends[0], text, 1) == 1 && text[0] == 'q');
    return 0;
}
