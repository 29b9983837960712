// A signal that is ignored does nothing when the program sends it to itself.
//@ native
#include <signal.h>
#include <stdio.h>

int main(void) {
    signal(SIGABRT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    printf("%d %d\n", raise(SIGABRT), raise(SIGTERM));
    return 0;
}
