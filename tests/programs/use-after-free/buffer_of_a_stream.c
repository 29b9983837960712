// A stream uses the buffer that the program gave it whenever something is written, flushed or read, and when the process ends with output in it.
// 0: main writes before another thread frees the buffer, or after that; it flushes at once, so that the end of the process finds nothing in the buffer.
// The write is two steps, since `fflush` is a call of its own: the buffer is freed before both, between them, or behind them.
//@ check --races ignore -- 0: bug use-after-free executions=3
//@ check --strategy dpor-classic --races ignore -- 0: bug use-after-free
//@ check --strategy exhaustive --races ignore -- 0: bug use-after-free
//@ check --strategy unfold --races ignore -- 0: bug use-after-free
//@ check --facts on --races ignore -- 0: bug use-after-free
// Freeing it counts as a write to its bytes.
//@ check -- 0: bug data-race,use-after-free
// 1: it is flushed when the process ends, whoever frees it before.
//@ check --races ignore -- 1: bug use-after-free
//@ check --strategy exhaustive --races ignore -- 1: bug use-after-free
//@ run -- 1: bug use-after-free
// 2: the function that has the buffer returns, but the stream stays open.
//@ run -- 2: bug use-after-free
// 3: the stream gets another buffer before.
//@ check -- 3: safe executions=1
// 4: it is closed before.
//@ check -- 4: safe executions=1
// 5: reading uses it, too.
//@ run -- 5: bug use-after-free
// 6: asking for flags does not.
//@ run -- 6: safe
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *buffer;
static FILE *file;

static void *frees(void *unused) {
    free(buffer);
    return unused;
}

static void lends_a_variable(void) {
    char own[BUFSIZ];
    setbuf(stdout, own);
    puts("before");
    fflush(stdout);
}

int main(int argc, char **argv) {
    int how = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t thread;
    buffer = malloc(BUFSIZ);
    switch (how) {
    case 0:
        setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
        pthread_create(&thread, 0, frees, 0);
        puts("hello");
        fflush(stdout);
        pthread_join(thread, 0);
        break;
    case 1:
        setvbuf(stdout, buffer, _IOFBF, BUFSIZ);
        puts("hello");
        pthread_create(&thread, 0, frees, 0);
        pthread_join(thread, 0);
        break;
    case 2:
        lends_a_variable();
        puts("after");
        break;
    case 3:
    case 4:
        file = fopen("file.txt", "w");
        setbuffer(file, buffer, BUFSIZ);
        fputs("hello", file);
        if (how == 3)
            setvbuf(file, NULL, _IONBF, 0);
        else
            fclose(file);
        pthread_create(&thread, 0, frees, 0);
        pthread_join(thread, 0);
        if (how == 3)
            fputs("goodbye", file);
        break;
    case 5:
        setbuf(stdin, buffer);
        free(buffer);
        getchar();
        break;
    case 6:
        setbuf(stdin, buffer);
        free(buffer);
        return feof(stdin) || ferror(stdin);
    }
    return 0;
}
