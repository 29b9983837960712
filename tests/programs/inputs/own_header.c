// A header of the user's own wins over the one that gordian brings: this one has a macro of that name.
//@ cflag: -DMARK
//@ check: safe executions=1
#include "own/gordian.h"
#include <gordian.h>

int main(void)
{
    return OWN_GORDIAN - 1;
}
