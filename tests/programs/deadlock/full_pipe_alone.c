// Nobody reads what is written to the pipe.
//@ check: bug deadlock
#include <unistd.h>

static char data[65536];

int main(void)
{
    int ends[2];
    pipe(ends);
    write(ends[1], data, sizeof data);
    write(ends[1], "x", 1); //~ BUG deadlock
    return 0;
}
