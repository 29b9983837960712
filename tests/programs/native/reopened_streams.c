// `freopen` sets the buffering back and keeps the number; `fflush(NULL)` tells that output is lost whose descriptor was closed; `ctime` overwrites the result of `localtime`.
//@ native
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static void reopen(int mode) {
    const char *name = "reopened_streams.tmp";
    struct stat facts;
    FILE *f = fopen(name, "w");
    setvbuf(f, NULL, mode, 0);
    f = freopen(name, "w", f);
    fputs("abc\nde", f);
    stat(name, &facts);
    printf("%d: %ld\n", mode, (long)facts.st_size);
    fclose(f);
    unlink(name);
}
static void close_below(void) {
    const char *name = "reopened_streams.tmp";
    FILE *f = fopen(name, "w");
    fputs("abc", f);
    close(fileno(f));
    printf("%d\n", fflush(NULL));
    printf("%d\n", fclose(f));
    unlink(name);
}
int main(void) {
    time_t begin = 0, later = 1700000000;
    reopen(_IONBF);
    reopen(_IOLBF);
    reopen(_IOFBF);
    close_below();
    struct tm *tm = localtime(&begin);
    printf("%d ", tm->tm_year);
    ctime(&later);
    printf("%d\n", tm->tm_year);
    fflush(stdout);
    close(0);
    FILE *f = freopen("/dev/null", "w", stderr);
    printf("%d %d\n", f == stderr, fileno(stderr));
    int fd = open("/dev/null", O_RDONLY);
    printf("%d\n", fd);
    return 0;
}
