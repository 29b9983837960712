// A header of the user's own wins over the one that gordian brings, which has no such macro.
//@ check: safe executions=1
#include "gordian.h"

int main(void)
{
    return OWN_GORDIAN - 1;
}
