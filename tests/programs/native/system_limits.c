// Values of `sysconf` that are the same everywhere, times that do not fit, and names of zones.
//@ native
//@ check: safe
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
    printf("%ld %ld %ld\n", sysconf(_SC_CLK_TCK), sysconf(_SC_LINE_MAX), sysconf(_SC_PAGESIZE));
    printf("%ld %ld %ld\n", sysconf(_SC_IOV_MAX), sysconf(_SC_THREAD_KEYS_MAX), sysconf(_SC_HOST_NAME_MAX));

    struct tm time = {.tm_mday = 1, .tm_year = 8099};
    char text[64];
    printf("%s", asctime_r(&time, text));
    time.tm_year = 8100;
    errno = 0;
    printf("%d %d\n", asctime_r(&time, text) == NULL, errno);
    printf("%s", asctime(&time));
    time.tm_year = 100;
    strftime(text, sizeof text, "%Z %#Z %^Z %#a %#p %^p %Hz Z", &time);
    puts(text);
    return 0;
}
