// Each size of an object or a copy is an execution of its own: 4 sizes of the object, and of the copies those of 0 to 4 bytes
// that fit, and one that does not for all but the largest. For an object of n bytes: n + 1 that fit and 4 - n that do not.
//@ check: bug out-of-bounds executions=20
#include <stdlib.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
int gordian_range(int, int, const char *);

int main(void)
{
    char from[4] = "abc";
    char *to = malloc(1 + (__VERIFIER_nondet_uint() & 3));
    int n = gordian_range(0, 4, "n");
    memcpy(to, from, n); //~ BUG out-of-bounds
    free(to);
    return 0;
}
