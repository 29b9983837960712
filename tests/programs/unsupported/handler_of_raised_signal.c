// Handlers are not run, so nothing is said of a program that sends itself a signal with one: here it would go on.
//@ check: inconclusive message="the handler of signal 6"
//@ check -- a: inconclusive message="the handler of SIGABRT"
#include <signal.h>
#include <stdlib.h>

static void handler(int number) {
    _Exit(number - SIGABRT);
}

int main(int argc, char **argv) {
    (void)argv;
    signal(SIGABRT, handler);
    if (argc > 1) {
        abort();
    }
    return raise(SIGABRT);
}
