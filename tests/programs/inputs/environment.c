// A variable of the environment: getenv finds it, its value is any string of up to two characters. "on" fails; not 'o',
// not 'n': three executions.
//@ check --sym-env MODE 2: bug assertion executions=3
//@ check --sym-env OTHER 2 --env MODE=off: safe executions=1
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    const char *mode = getenv("MODE");
    int on = 0;
    if (mode[0] == 'o')
        if (mode[1] == 'n')
            on = 1;
    assert(!on); //~ BUG assertion
    return 0;
}
