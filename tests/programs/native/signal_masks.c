// Each thread has a mask of its own, which it inherits. Two signals of the library, KILL and STOP are never blocked; how to combine sets matters only where there is a set.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void handler(int number) { (void)number; }

static int blocks(int number) {
    sigset_t now;
    sigfillset(&now);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, number);
}

static void *thread(void *argument) {
    sigset_t usr;
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    int before = blocks(SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &usr, NULL);
    printf("%d %d\n", before, blocks(SIGUSR1));
    return argument;
}

int main(void) {
    sigset_t all, old;
    memset(&all, 0xff, sizeof all);
    sigfillset(&old);
    printf("%d\n", pthread_sigmask(SIG_SETMASK, &all, &old));
    for (int number = 1; number <= 64; number++)
        printf("%d", sigismember(&old, number));
    puts("");
    for (int number = 1; number <= 64; number++)
        printf("%d", blocks(number));
    puts("");
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    printf("%d\n", blocks(SIGUSR1));
    printf("%d %d\n", pthread_sigmask(7, &all, &old) == EINVAL, pthread_sigmask(7, NULL, &old));
    errno = 0;
    printf("%d", sigprocmask(7, &all, &old));
    printf(" %d\n", errno == EINVAL);
    printf("%d %d %d\n", sigismember(&all, 32), sigismember(&all, 33), sigismember(&all, 65));

    struct sigaction action, now;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaddset(&action.sa_mask, SIGKILL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR1, NULL, &now);
    printf("%d %d %d\n", sigismember(&now.sa_mask, SIGUSR2), sigismember(&now.sa_mask, SIGKILL), now.sa_handler == handler);
    signal(SIGINT, handler);
    sigaction(SIGINT, NULL, &now);
    printf("%d %d\n", sigismember(&now.sa_mask, SIGINT), (now.sa_flags & SA_RESTART) != 0);
    printf("%d %d\n", signal(SIGINT, SIG_ERR) == SIG_ERR, signal(SIGINT, SIG_IGN) == handler);
    printf("%d %d\n", sigaction(32, NULL, &now), signal(33, handler) == SIG_ERR);
    printf("%d %d %d\n", raise(SIGINT), raise(0), raise(99));
    return 0;
}
