// strlen gets the null pointer that getenv returned.
//@ check --strategy exhaustive: bug null-dereference
#include <stdlib.h>
#include <string.h>

int main(void)
{
    const char *path = getenv("GORDIAN_TEST_THIS_IS_NEVER_SET");
    return strlen(path) > 100; //~ BUG null-dereference
}
