// Files that are made large without being written take no memory.
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 20; i++) {
        char name[32], byte = 'x';
        struct stat facts;
        snprintf(name, sizeof name, "large_hole_%d.tmp", i);
        int fd = open(name, O_RDWR | O_CREAT, 0600);
        unlink(name);
        ftruncate(fd, 1 << 30);
        pwrite(fd, "y", 1, 5000 + i);
        pread(fd, &byte, 1, 5000);
        fstat(fd, &facts);
        printf("%d %ld\n", byte, (long)facts.st_size);
    }
    return 0;
}
