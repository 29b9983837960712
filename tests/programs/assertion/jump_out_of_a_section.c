// A jump out of an atomic function ends its section, and others go on: between the two reads, too.
//@ check: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

static jmp_buf back;
static atomic_int word;

static void __VERIFIER_atomic_jump(void)
{
    longjmp(back, 1);
}

static void *set(void *arg)
{
    word = 1;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    if (setjmp(back) == 0)
        __VERIFIER_atomic_jump();
    int before = word;
    int after = word;
    assert(before == after); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
