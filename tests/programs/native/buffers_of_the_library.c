// Who frees which buffer: `getline` leaves one alone whose size is said to be 0, `getcwd` makes one of the size that it is told.
//@ native
//@ stdin: "text\n"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char first[8] = "old", *line = first;
    size_t size = 0;
    printf("%zd", getline(&line, &size, stdin));
    printf(" %s %d\n", first, line == first);
    free(line);
    char *path = getcwd(NULL, 4096);
    strcpy(path + 4000, "room");
    printf("%s\n", path + 4000);
    free(path);
    errno = 0;
    path = getcwd(NULL, 1);
    printf("%d %d\n", path == NULL, errno == ERANGE);
    path = getcwd(NULL, 0);
    printf("%d\n", path != NULL && path[0] == '/');
    free(path);
    return 0;
}
