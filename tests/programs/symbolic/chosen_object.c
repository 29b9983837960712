// A pointer to one of three objects, or to none: four executions, and the last one fails.
//@ check: bug null-dereference executions=4
//@ check --strategy interference: bug null-dereference executions=4
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
static int global = 1;

int main(void)
{
    int local = 2, *heap = malloc(sizeof *heap);
    *heap = 3;
    int *objects[4] = {&global, &local, heap, 0};
    int *chosen = objects[__VERIFIER_nondet_uint() & 3];
    *chosen += 10; //~ BUG null-dereference
    assert(global + local + *heap == 16);
    free(heap);
    return 0;
}
