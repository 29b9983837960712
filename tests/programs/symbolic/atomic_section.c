// What inputs decide within an atomic section is decided there, and nobody comes between. The other thread sees both counters
// change or none: 4 ways through the sections (each branch by an input of its own), each in both orders of the two.
//@ check: safe executions=8 blocked=0
//@ check --strategy exhaustive: safe
//@ check --cflag=-DSPLIT --races ignore: bug assertion
//@ check --cflag=-DBEGIN: safe executions=8 blocked=0
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int left, right;

#ifdef BEGIN
#define SECTION(name) name
#else
#define SECTION(name) __VERIFIER_atomic_##name
#define __VERIFIER_atomic_begin()
#define __VERIFIER_atomic_end()
#endif

void SECTION(move)(int n)
{
    __VERIFIER_atomic_begin();
    left -= 1;
    if (n > 7)
        left += 1;
    else
        right += 1;
    __VERIFIER_atomic_end();
}

void SECTION(look)(int n)
{
    __VERIFIER_atomic_begin();
    assert(left + right == 0);
    if (n == 42)
        left = right = 0;
    __VERIFIER_atomic_end();
}

void *mover(void *unused)
{
#ifdef SPLIT
    left -= 1;
    right += 1;
#else
    SECTION(move)(gordian_int("moved"));
#endif
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, mover, 0);
    SECTION(look)(gordian_int("looked"));
    pthread_join(other, 0);
    return 0;
}
