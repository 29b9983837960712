// Handlers are told as they were set; sets of signals are sets.
//@ native
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void handler(int number) { (void)number; }

int main(void) {
    signal(SIGINT, SIG_IGN);
    assert(signal(SIGINT, handler) == SIG_IGN);
    assert(signal(SIGINT, SIG_DFL) == handler);
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    memset(&old, 0xff, sizeof old);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    assert(sigaction(SIGUSR1, &action, NULL) == 0);
    assert(sigaction(SIGUSR1, NULL, &old) == 0);
    assert(old.sa_handler == handler && old.sa_flags & SA_RESTART);
    assert(sigaction(SIGKILL, &action, NULL) == -1 && errno == EINVAL);
    assert(sigaction(SIGKILL, NULL, &old) == 0);
    assert(signal(1000, handler) == SIG_ERR);
    sigset_t set;
    sigemptyset(&set);
    assert(!sigismember(&set, SIGTERM) && sigaddset(&set, SIGTERM) == 0 && sigismember(&set, SIGTERM));
    assert(sigdelset(&set, SIGTERM) == 0 && !sigismember(&set, SIGTERM));
    sigfillset(&set);
    assert(sigismember(&set, SIGHUP) && sigaddset(&set, 0) == -1 && sigismember(&set, 65) == -1);
    puts("done");
}
