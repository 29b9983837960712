// A thread reads lines while main waits for its end: nobody comes in between, so where lines end is decided both ways.
// "\n." and "x\n" and "xy" are the ways of the first line; "!\n" fails, "!" in front of no newline does not. Ways: "\n.": the next
// line is one byte, newline or not, which fgets asks for: 2 ways; "x\n": x is '!' or not: 2 ways; "xy": 1 way.
//@ check --sym-stdin 2: bug assertion executions=5
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static void *reader(void *unused)
{
    char line[4];
    while (fgets(line, sizeof line, stdin)) {
        if (line[1] == '\n')
            assert(line[0] != '!'); //~ BUG assertion
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_join(thread, NULL);
    return 0;
}
