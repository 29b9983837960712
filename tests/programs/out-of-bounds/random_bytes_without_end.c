// As with /dev/zero, by `read`.
//@ check: bug out-of-bounds
//@ check --strategy exhaustive: bug out-of-bounds
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    char buffer[8];
    int random = open("/dev/urandom", O_RDONLY);
    volatile unsigned long length = 1UL << 45;
    return read(random, buffer, length) == 0; //~ BUG out-of-bounds
}
