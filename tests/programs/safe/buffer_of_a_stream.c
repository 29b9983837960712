// Buffers of streams that are freed when nothing uses them any more.
// 0: each line was written when it ended.
//@ check --leaks -- 0: safe
// 1: as much was written as the buffer has room for, several times.
//@ check -- 1: safe
// 2: nothing is written.
//@ check -- 2: safe
// 3: two threads print, each locks the stream natively.
//@ check -- 3: safe
//@ check --strategy exhaustive -- 3: safe
// 4: the thread that closes the stream knows what others have done with it, and frees its buffer.
//@ check -- 4: safe
//@ check --strategy exhaustive -- 4: safe
// 5: nobody but the stream knows the buffer, which is no leak.
//@ check --leaks -- 5: safe
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *file;
static char *buffer;

static void *prints(void *unused) {
    puts("hello");
    return unused;
}

static void *closes(void *unused) {
    freopen("other.txt", "w", file);
    free(buffer);
    return unused;
}

static void overwrite(int n) {
    volatile char bytes[64];
    memset((void *)bytes, n, sizeof bytes);
    if (n)
        overwrite(n - 1);
}

static void lend(void) {
    setvbuf(stdout, malloc(64), _IOFBF, 64);
}

int main(int argc, char **argv) {
    pthread_t thread;
    buffer = malloc(64);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0:
        setvbuf(stdout, buffer, _IOLBF, 64);
        puts("hello");
        free(buffer);
        break;
    case 1:
        file = fopen("file.txt", "w");
        setvbuf(file, buffer, _IOFBF, 4);
        fputs("abcdefgh", file);
        free(buffer);
        break;
    case 2:
        setvbuf(stdout, buffer, _IOFBF, 64);
        free(buffer);
        printf("%s", "");
        fputs("", stdout);
        fflush(stdout);
        break;
    case 3:
        setvbuf(stdout, buffer, _IOFBF, 64);
        pthread_create(&thread, 0, prints, 0);
        puts("goodbye");
        pthread_join(thread, 0);
        break;
    case 4:
        file = fopen("file.txt", "w");
        setvbuf(file, buffer, _IOFBF, 64);
        pthread_create(&thread, 0, closes, 0);
        fputs("hello", file);
        fflush(file);
        pthread_join(thread, 0);
        break;
    case 5:
        free(buffer);
        lend();
        overwrite(5);
        puts("hello");
        break;
    }
    return 0;
}
