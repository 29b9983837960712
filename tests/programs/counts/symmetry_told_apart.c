// Two threads swap a flag and say whether they were first. They have the same start function and argument, but main tells them apart by their
// results: the two orders of the exchanges are two behaviours, and symmetry is given up.
//@ check --symmetry: safe executions=2 blocked=0
// If nobody looks at the results, one order stands for both.
//@ check --symmetry --cflag=-DBLIND: safe executions=1 blocked=0
// A program that asks for names of threads is not symmetric whatever it does with them.
//@ check --symmetry --cflag=-DBLIND --cflag=-DSELF: safe executions=2 blocked=0
// Main reads between the joins: if the first thread comes first, before or after the second; if the second comes first, after both.
//@ check --symmetry --cflag=-DBLIND --cflag=-DBETWEEN: safe executions=3 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int taken;

static void *take(void *arg)
{
    (void)arg;
#ifdef SELF
    (void)pthread_self();
#endif
    return (void *)(intptr_t)atomic_exchange(&taken, 1);
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, take, NULL);
    pthread_create(&second, NULL, take, NULL);
#ifdef BLIND
    pthread_join(first, NULL);
#ifdef BETWEEN
    atomic_load(&taken);
#endif
    pthread_join(second, NULL);
#else
    void *of_first, *of_second;
    pthread_join(first, &of_first);
    pthread_join(second, &of_second);
    assert((of_first == NULL) != (of_second == NULL));
#endif
    return 0;
}
