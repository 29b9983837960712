// Two threads read from a pipe that holds one byte. Whoever comes second waits forever, so there is a deadlock at each of the two reads.
//@ check --strategy exhaustive: bug deadlock
//@ check --strategy dpor: bug deadlock
//@ check --strategy dpor-classic: bug deadlock
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *reader(void *unused) {
    char byte;
    read(ends[0], &byte, 1); //~ BUG deadlock
    return unused;
}
int main(void) {
    pthread_t thread;
    char byte;
    pipe(ends);
    write(ends[1], "x", 1);
    pthread_create(&thread, NULL, reader, NULL);
    read(ends[0], &byte, 1); //~ BUG deadlock
    pthread_join(thread, NULL);
    return 0;
}
