// A thread closes standard output while others print: whether they can depends on the schedule, also if printing is all that they do.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --strategy bounded --preemptions 2: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *writes(void *arg)
{
    assert(write(1, "x ", 2) == 2); //~ BUG assertion
    return arg;
}

static void *prints(void *arg)
{
    assert(printf("y ") == 2); //~ BUG assertion
    return arg;
}

static void *closes(void *arg)
{
    close(1);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, writes, NULL);
    pthread_create(&b, NULL, prints, NULL);
    pthread_create(&c, NULL, closes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
