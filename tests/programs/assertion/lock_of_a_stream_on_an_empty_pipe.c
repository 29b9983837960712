// A call on a stream takes the stream's lock whether its pipe has data or not: `clearerr` may come before the write to the pipe, or behind it.
//@ check: bug assertion,data-race
//@ check --strategy exhaustive: bug assertion,data-race
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2], given, seen;
static FILE *stream;
static void *writer(void *unused) {
    flockfile(stream);
    write(ends[1], "a", 1);
    given = 1;
    funlockfile(stream);
    return NULL;
}
static void *reader(void *unused) {
    clearerr(stream);
    seen = given;
    return NULL;
}
int main(void) {
    pthread_t first, second;
    pipe(ends);
    stream = fdopen(ends[0], "r");
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(seen == 1); //~ BUG assertion
}
