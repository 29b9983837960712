// A parser that reads byte by byte and puts one back. "(7)" is what it chokes on. Ways: not '('; "()"; "(" and no digit; "(" and a
// digit but 7, whose closing bracket is returned and decides nothing; "(7" not closed; "(7)", which fails. Six executions.
//@ check --sym-stdin 3: bug assertion executions=6
// With two bytes nothing closes: [not '('], "()", "(" no digit, "(" digit but 7, "(7".
//@ check --sym-stdin 2: safe executions=5
#include <assert.h>
#include <stdio.h>

int main(void)
{
    if (getchar() != '(')
        return 1;
    int next = getchar();
    if (next == ')')
        return 0;
    ungetc(next, stdin);
    int digit = fgetc(stdin) - '0';
    if ((unsigned)digit > 9)
        return 1;
    if (digit == 7) {
        if (getc(stdin) == ')')
            assert(digit != 7); //~ BUG assertion
        return 1;
    }
    return getc(stdin) != ')';
}
