// What main prints stays in the stream's buffer, so that both threads wait for ever.
//@ check --strategy dpor: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int there[2], back[2];

static void *echo(void *unused)
{
    char byte;
    read(there[0], &byte, 1); //~ BUG deadlock
    write(back[1], &byte, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    char byte;
    pipe(there);
    pipe(back);
    pthread_create(&thread, NULL, echo, NULL);
    FILE *stream = fdopen(there[1], "w");
    fprintf(stream, "x");
    read(back[0], &byte, 1); //~ BUG deadlock
    pthread_join(thread, NULL);
    fclose(stream);
    return 0;
}
