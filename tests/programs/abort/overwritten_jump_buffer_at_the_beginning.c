// A jump buffer that was overwritten with the beginning of the function, where no `setjmp` stands.
//@ check: bug abort
//@ check --strategy exhaustive: bug abort
#include <setjmp.h>
#include <stdio.h>
int main(void) {
    jmp_buf buffer;
    if (setjmp(buffer) == 0) {
        ((unsigned *)buffer)[2] = 0;
        longjmp(buffer, 1); //~ BUG abort
    }
    puts("never");
    return 0;
}
