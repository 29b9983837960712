// The same server, compiled so that stopping it sets the flag without waking the writer: if that waits, it waits forever.
// No signal is lost on the way: it is never sent.
//@ check --strategy random --runs 300 --seed 30: bug deadlock
//@ files: log_server/server.c log_server/program.c
//@ cflag: -DFORGET_WAKEUP
#include "log_server/program.h"

int main(void)
{
    return log_program();
}
