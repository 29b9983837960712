// `open` looks at permissions as `access` does. Not compared with the real library: nobody refuses root anything.
//@ check: safe
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    int fd = open("permissions", O_CREAT | O_RDWR, 0600);
    assert(chmod("permissions", 0400) == 0);
    // Who has it open may go on.
    assert(write(fd, "a", 1) == 1);
    assert(access("permissions", W_OK) == -1 && errno == EACCES && access("permissions", R_OK) == 0);
    assert(open("permissions", O_WRONLY) == -1 && errno == EACCES);
    assert(truncate("permissions", 0) == -1 && errno == EACCES);
    assert(open("permissions", O_RDONLY) >= 0);
    assert(chmod("permissions", 0200) == 0);
    assert(open("permissions", O_RDWR) == -1 && errno == EACCES);
    assert(open("permissions", O_WRONLY) >= 0);
    return 0;
}
