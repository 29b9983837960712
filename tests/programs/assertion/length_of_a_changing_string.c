// How much of a string is read depends on what the other threads have written to it by then.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[8] = "abc";

static void *empties(void *arg)
{
    name[0] = 0;
    return arg;
}

static void *shortens(void *arg)
{
    name[1] = 0;
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, empties, NULL);
    pthread_create(&other, NULL, shortens, NULL);
    assert(strlen(name) != 1); //~ BUG assertion
    return 0;
}
