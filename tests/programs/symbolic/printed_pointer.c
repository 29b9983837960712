// What `printf` prints decides nothing, but where it reads does: the pointer of `%s` is a symbolic address like any other.
// Inputs lead to a string, to null (which glibc prints as "(null)"), and with WILD behind the end of an object.
//@ check --strategy dpor: safe executions=2
//@ check --strategy exhaustive: safe executions=2
//@ check --cflag=-DWILD: bug out-of-bounds message="of names, which has 12 bytes"
//@ check --cflag=-DFREED: bug use-after-free message="freed"
//@ check --cflag=-DLIST: bug out-of-bounds message="of names"
//@ check --cflag=-DSTREAM: bug out-of-bounds message="of four, which has 4 bytes"
//@ check --cflag=-DPRECISION: bug out-of-bounds message="of four"
//@ check --cflag=-DCOUNT: bug out-of-bounds message="offset 8 of counts"
//@ check --cflag=-DFORMAT: bug out-of-bounds message="offset 4 of four"
//@ check --cflag=-DTHREADS: bug out-of-bounds message="offset 12 of names"
#include <gordian.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char four[4] = {'f', 'o', 'u', 'r'};
char names[3][4] = {"ann", "bob", "cy"};

void log_line(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

void *print_one(void *name) {
    printf("%s\n", (char *)name);
    return NULL;
}

int main(void) {
#ifdef WILD
    // Names 0 to 2 are fine, and with many values of the index only one failing one need be tried.
    int which = gordian_int("which");
    printf("%d %s\n", which, names[which]);
#elif defined FREED
    char *text[2] = {names[0], malloc(4)};
    text[1][0] = 0;
    free(text[1]);
    printf("%s\n", text[gordian_range(0, 1, "which")]);
#elif defined LIST
    log_line("%d: %s\n", 1, names[gordian_range(0, 3, "which")]);
#elif defined STREAM
    FILE *streams[2] = {stdout, (FILE *)(four + 4)};
    fprintf(streams[gordian_range(0, 1, "which")], "to whom?\n");
#elif defined PRECISION
    // The first four characters are there, and there is no end behind them.
    printf("%.*s\n", gordian_range(0, 8, "most"), four);
#elif defined COUNT
    int counts[2];
    printf("%x%n\n", 17, &counts[gordian_range(0, 2, "which")]);
#elif defined FORMAT
    // Both letters lead to a conversion that prints a number, or to one that takes it for an address.
    char format[] = "%d %.4s%d\n";
    format[8] = gordian_bool("as text") ? 's' : 'd';
    char *end = four + 4;
    printf(format, 1, four, end);
#elif defined THREADS
    pthread_t other;
    int which = gordian_range(0, 3, "which");
    pthread_create(&other, NULL, print_one, names[which]);
    printf("%s\n", names[0]);
    pthread_join(other, NULL);
#else
    char *text = (char *)((unsigned long)names[1] * gordian_bool("there is one"));
    printf("%s\n", text);
#endif
    return 0;
}
