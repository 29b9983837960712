// The other thread overwrites the terminator for a moment: `strlen` then runs past the end of the heap block. It reads byte by byte, and the two writes can fall
// between any two of its reads; only its read of the last byte depends on them. Traces: that read before both writes, between them (it then reads
// one byte too far, before or behind the second write: how that fails depends on the whole object), behind both.
//@ check --races ignore: bug out-of-bounds executions=4 blocked=0
//@ check --races ignore --strategy classes: bug out-of-bounds
//@ check: bug data-race,out-of-bounds
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *text;

static void *overwrite(void *arg)
{
    text[2] = 'c';
    text[2] = 0; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    text = malloc(3);
    memcpy(text, "ab", 3);
    pthread_create(&thread, NULL, overwrite, NULL);
    size_t length = strlen(text); //~ BUG data-race, out-of-bounds
    pthread_join(thread, NULL);
    free(text);
    return length != 2;
}
