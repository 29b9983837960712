// How much memory there is, gordian does not know.
//@ check: inconclusive message="sysconf"
#include <unistd.h>

int main(void)
{
    return sysconf(_SC_PHYS_PAGES) < 0;
}
