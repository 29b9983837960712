// A call reads an argument that others can write, and then sees whether a file is open. The first was logged, the second only if it was open: where it was closed
// the step seemed to have nothing to do with `close`, and the order in which the file is open was left out.
// By `fdopen`. Two executions: before `close` and behind it.
//@ check -- 0: bug assertion executions=2
//@ check --strategy dpor-classic -- 0: bug assertion
//@ check --strategy exhaustive -- 0: bug assertion
//@ check --strategy unfold -- 0: bug assertion
// By `fputs` and `fsetpos` of a stream that is closed meanwhile. Behind `fclose` the call itself is wrong, before it the assertion fails.
//@ check -- 1: bug assertion,use-after-close executions=2
//@ check --strategy dpor-classic -- 1: bug assertion,use-after-close
//@ check --strategy exhaustive -- 1: bug assertion,use-after-close
//@ check --strategy unfold -- 1: bug assertion,use-after-close
//@ check -- 2: bug assertion,use-after-close executions=2
//@ check --strategy dpor-classic -- 2: bug assertion,use-after-close
//@ check --strategy exhaustive -- 2: bug assertion,use-after-close
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fd, how, result = -1;
static char text[4] = "r";
static fpos_t position;
static FILE *file, *opened;

static void *use(void *unused) {
    if (how == 0)
        opened = fdopen(fd, text);
    else
        result = how == 1 ? fputs(text, file) : fsetpos(file, &position); //~ BUG use-after-close
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    how = argc > 1 ? atoi(argv[1]) : 0;
    if (how == 0)
        fd = open("file.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    else
        file = fopen("file.txt", "w");
    pthread_create(&thread, 0, use, 0);
    if (how == 0)
        close(fd);
    else
        fclose(file);
    pthread_join(thread, 0);
    assert(opened == 0 && result < 0); //~ BUG assertion
}
