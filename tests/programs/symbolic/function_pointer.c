// Which function is called is up to the input; one of the three fails.
//@ check: bug assertion executions=3
#include <assert.h>
int gordian_range(int, int, const char *);

static int one(int n)
{
    return n + 1;
}

static int two(int n)
{
    assert(n == 2); //~ BUG assertion
    return n + 2;
}

static int three(int n)
{
    return n + 3;
}

int main(void)
{
    int (*const functions[])(int) = {one, two, three};
    int result = functions[gordian_range(0, 2, "which")](5);
    assert(result >= 6 && result <= 8);
    return 0;
}
