// A native function returns a pointer into a library. What it points to is not the machine's.
//@ check --native gnu_get_libc_version: inconclusive message="memory of a native library"
#include <gnu/libc-version.h>
#include <string.h>
int main(void) {
    const char *text = gnu_get_libc_version();
    return text && text[0] == '2';
}
