// Calls on one stream lock it, so they do not race for its buffer. Who looks into the buffer does.
//@ check -- 0: safe
//@ check --strategy exhaustive -- 0: safe
//@ check -- 1: bug data-race
//@ check --strategy exhaustive -- 1: bug data-race
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char buffer[BUFSIZ];
static int how;

static void *prints(void *unused) {
    puts("hello"); //~ BUG data-race
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    how = argc > 1 ? atoi(argv[1]) : 0;
    setbuf(stdout, buffer);
    pthread_create(&thread, 0, prints, 0);
    if (how == 0)
        puts("goodbye");
    else if (buffer[0]) //~ BUG data-race
        abort();
    pthread_join(thread, 0);
    return 0;
}
