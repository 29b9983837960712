// A thread creates another within an atomic section and waits there for its end, so others go on although the section is not over. The stateful strategies
// refuse that: they used to take whoever is within a section for the only one that can go on, and missed what main sees then.
//@ check --races ignore: safe
//@ check --races ignore --strategy unfold: safe
//@ check --races ignore --strategy contextual: safe
//@ check --races ignore --strategy stateful: inconclusive message="within an atomic section"
//@ check --races ignore --strategy stateful-naive: inconclusive message="within an atomic section"
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int x;

static void *child(void *arg)
{
    x = 1;
    return arg;
}

static void *section(void *arg)
{
    pthread_t thread;
    __VERIFIER_atomic_begin();
    pthread_create(&thread, 0, child, 0);
    pthread_join(thread, 0);
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, section, 0);
    int seen = x;
    pthread_join(thread, 0);
    return seen > 1;
}
