// A pointer that a native function returned may be kept and compared.
//@ check --native gnu_get_libc_version: safe
#include <assert.h>
#include <gnu/libc-version.h>
int main(void) {
    const char *text = gnu_get_libc_version(), *same = gnu_get_libc_version();
    assert(text != 0 && text == same);
    return 0;
}
