// Loops of one thread alone that look endless and are not: a long count, a loop that waits until the clock has moved on, one that toggles between two
// states while it counts in memory, and one that draws random numbers until one fits.
//@ check: safe executions=1
#include <assert.h>
#include <stdlib.h>
#include <time.h>

static volatile int toggle;
static volatile long rounds;

int main(void)
{
    for (volatile int i = 0; i < 3000000; i++) {
    }
    const time_t start = time(NULL);
    while (time(NULL) < start + 5) {
    }
    while (rounds < 2000000) {
        toggle = !toggle;
        rounds += toggle;
    }
    while (rand() % 100000 != 7) {
    }
    assert(rounds == 2000000);
    return 0;
}
