// A file of four bytes by `open` and `read`: memcmp looks at its magic number byte by byte, and its third byte decides about an
// access out of bounds. Ways: not 'G'; not 'O'; an index below 4, all at once; one above, which fails.
//@ check --sym-file data.bin 4: bug out-of-bounds executions=4
// What the program writes over it is no input any more: the magic number has three ways, the index one.
//@ check --sym-file data.bin 4 --cflag=-DOVERWRITE: safe executions=3
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    unsigned char head[4], table[4] = {0};
    int file = open("data.bin", O_RDWR);
    if (read(file, head, 2) != 2 || memcmp(head, "GO", 2) != 0)
        return 1;
#ifdef OVERWRITE
    if (pwrite(file, "\1\1", 2, 2) != 2)
        return 1;
#endif
    if (pread(file, head, 1, 2) != 1)
        return 1;
    return table[head[0] & 7]; //~ BUG out-of-bounds
}
