// The classic lost update: both threads read 0, both write 1. The accesses are plain, so it is a data race as well.
//@ check --strategy exhaustive --keep-going: bug assertion,data-race
//@ check --strategy exhaustive --keep-going --races ignore: bug assertion
//@ check --strategy exhaustive --races stop: bug data-race
//@ check --strategy random --runs 300 --races ignore: bug assertion
//@ check --strategy pct --runs 300 --races ignore: bug assertion
//@ check --strategy pos --runs 300 --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>

static int counter;

static void *increment(void *arg)
{
    counter++; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2); //~ BUG assertion
    return 0;
}
