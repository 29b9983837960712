// One thread copies a word over another of the same length while main copies it out. Both copies go byte by byte, so main can end up with a mixture that was
// never written. Traces: each of the three bytes is read before or after it is written, whatever happens to the others: 2^3.
//@ check --races ignore: bug assertion executions=8 blocked=0
//@ check --races ignore --strategy classes: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *word;

static void *change(void *arg)
{
    strcpy(word, "no");
    return arg;
}

int main(void)
{
    pthread_t thread;
    char copy[3];
    word = malloc(3);
    strcpy(word, "if");
    pthread_create(&thread, NULL, change, NULL);
    strcpy(copy, word);
    assert(strcmp(copy, "if") == 0 || strcmp(copy, "no") == 0); //~ BUG assertion
    pthread_join(thread, NULL);
    free(word);
    return 0;
}
