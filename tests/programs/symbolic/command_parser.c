// A command is a letter, a digit and a full stop. Only `p7.` fails. Each comparison that fails ends the program with another
// status: not p and not q; p without a digit below, above; q likewise; and so on. The executions are:
// other letter, q, p & below '0', p & above '9', p & digit & no stop, p & digit & stop & not 7, p7.
//@ check: bug assertion executions=7
#include <assert.h>
void gordian_symbolic(void *place, unsigned long size, const char *name);

int main(void)
{
    char command[3];
    gordian_symbolic(command, sizeof command, "command");
    switch (command[0]) {
    case 'p':
        break;
    case 'q':
        return 1;
    default:
        return 2;
    }
    if (command[1] < '0')
        return 3;
    if (command[1] > '9')
        return 4;
    if (command[2] != '.')
        return 5;
    assert(command[1] != '7'); //~ BUG assertion
    return 0;
}
