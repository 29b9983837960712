// A log server: clients put lines into a bounded queue, one writer takes them out and appends them to a file.
// At the end the file holds every line once, and each client's lines in their order.
//@ check --strategy random --runs 20 --leaks: bounded
//@ check --strategy pct --runs 20 --depth 3: bounded
//@ files: log_server/server.c log_server/program.c
#include "log_server/program.h"

int main(void)
{
    return log_program();
}
