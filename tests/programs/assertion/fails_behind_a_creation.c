// Main fails right behind the creation of a thread, which may nevertheless come to fail first.
//@ check: bug assertion message="first"
//@ check --strategy dpor-classic: bug assertion message="first"
//@ check --strategy exhaustive: bug assertion message="first"
#include <assert.h>
#include <pthread.h>

static void *fails(void *arg)
{
    assert(!"first"); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fails, NULL);
    assert(!"second"); //~ BUG assertion
    return 0;
}
