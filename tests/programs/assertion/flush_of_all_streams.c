// One thread writes to a stream while main flushes all streams: what was written is in the file, or still in the stream. Where the stream held nothing, the flush
// seemed to have nothing to do with it.
// Two executions: the flush comes before the write or behind it.
//@ check: bug assertion executions=2
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy unfold: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

static FILE *file;

static void *writes(void *unused) {
    fputs("x", file);
    return unused;
}

int main(void) {
    pthread_t thread;
    struct stat facts;
    file = fopen("file.txt", "w");
    pthread_create(&thread, 0, writes, 0);
    fflush(0);
    pthread_join(thread, 0);
    fstat(fileno(file), &facts);
    assert(facts.st_size == 0); //~ BUG assertion
}
