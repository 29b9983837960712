// An increment and a read of a plain counter without any order: undefined behaviour whatever comes out.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
//@ check --strategy exhaustive --races stop: bug data-race
//@ check --strategy random --runs 50: bug data-race
//@ check --strategy pct --runs 50: bug data-race
#include <pthread.h>

static int hits;

static void *count(void *arg)
{
    hits++; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    int seen = hits; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
