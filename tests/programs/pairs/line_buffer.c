// `getline` writes into the buffer that it is given.
//@ stdin: "ab\n"
//@ check: bug data-race
//@ check --facts on: bug data-race
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

char *text;
char seen;

void *reads(void *unused) {
    size_t size = 64;
    char *line = text;
    if (getline(&line, &size, stdin) > 0) //~ BUG data-race
        seen = 1;
    return unused;
}

int main(void) {
    text = malloc(64);
    text[0] = 'x';
    pthread_t t;
    pthread_create(&t, NULL, reads, NULL);
    char first = text[0];
    pthread_join(t, NULL);
    return first == 'y';
}
