// What both free is freed twice, unless an atomic section does so before main looks or after main has cleared the pointer. The section that
// fails does so before anything shows that it depends on main's free; it must be tried before that all the same. Without a failure: the section first, after all
// that main does, or not at all, since nobody waits for it.
//@ check: bug double-free
//@ check --strategy dpor-classic: bug double-free
//@ check --strategy exhaustive: bug double-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static _Atomic(int *) box;

static void empty_the_box(void)
{
    int *content = box;
    if (content) {
        free(content); //~ BUG double-free
        box = NULL;
    }
}

static void *in_a_section(void *arg)
{
    __VERIFIER_atomic_begin();
    empty_the_box();
    __VERIFIER_atomic_end();
    return arg;
}

int main(void)
{
    pthread_t thread;
    box = malloc(sizeof *box);
    pthread_create(&thread, NULL, in_a_section, NULL);
    empty_the_box();
    return 0;
}
