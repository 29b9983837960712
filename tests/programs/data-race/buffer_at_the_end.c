// What the end of the process, and `setvbuf`, write to the buffer of a stream is an access to it, for the static facts as well.
//@ check -- 0: bug data-race
//@ check --facts on -- 0: bug data-race
//@ check --strategy value-schedule -- 0: bug data-race
//@ check -- 1: bug data-race
//@ check --facts on -- 1: bug data-race
//@ check -- 2: bug data-race
//@ check --facts on -- 2: bug data-race
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char buffer[64];

static void *writes(void *unused) {
    buffer[0] = 'a'; //~ BUG data-race
    return unused;
}

int main(int argc, char **argv) {
    int how = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    puts("hello");
    pthread_create(&thread, 0, writes, 0);
    switch (how) {
    case 0:
        setvbuf(stdout, NULL, _IONBF, 0);
        pthread_join(thread, 0);
        break;
    case 1:
        exit(0);
    }
    return 0;
}
