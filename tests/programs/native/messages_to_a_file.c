// `warn` and its like write to the stream stderr, wherever its descriptor leads.
//@ native
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    const char *name = "messages_to_a_file.tmp";
    char text[200] = "";
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    unlink(name);
    dup2(fd, 2);
    warnx("hello %d", 1);
    errno = ENOENT;
    warn("missing");
    errno = ENOENT;
    perror("prefix");
    error(0, EINVAL, "bad %s", "thing");
    long n = pread(fd, text, sizeof text - 1, 0);
    // What stands before each message is the name of the program.
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        puts(strchr(line, ':'));
    printf("%d\n", n > 0);
    return 0;
}
