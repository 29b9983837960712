// Clocks that are none are refused.
//@ native
#include <errno.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    struct timespec short_time = {0, 1};
    printf("%d", clock_getres(99, NULL));
    printf(" %d\n", errno == EINVAL);
    printf("%d %d\n", clock_getres(CLOCK_REALTIME, NULL), clock_getres(CLOCK_THREAD_CPUTIME_ID, NULL));
    printf("%d\n", clock_nanosleep(99, 0, &short_time, NULL) == EINVAL);
    printf("%d\n", clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &short_time, NULL) == EINVAL);
    printf("%d\n", clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL));
    return 0;
}
