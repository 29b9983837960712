// The classic litmus tests under sequential consistency. Every pair of conflicting accesses is ordered one way or the other; the traces are the
// combinations that form no cycle with program order.
// Store buffering, the default (x=1; read y || y=1; read x): 4 combinations, of which "both read 0" is a cycle: 3.
// MP, message passing (x=1; y=1 || read y; read x): "new flag, old data" is a cycle: 3.
// LB, load buffering (read x; y=1 || read y; x=1): "both read 1" is a cycle: 3.
// R (x=1; y=1 || y=2; read x): the order of the writes of y, and whether the read sees x: y=1 before y=2 and the read before x is a cycle: 3.
// S (x=2; y=1 || read y; x=1): "reads 1, and x=1 before x=2" is a cycle: 3.
// 2+2W (x=1; y=2 || y=1; x=2): two pairs of writes, one cycle: 3.
// IRIW (x=1 || y=1 || read x; read y || read y; read x): four pairs, 16 combinations; the readers disagree in one: 15.
// WRC (x=1 || read x; y=1 || read y; read x): three pairs, 8 combinations; sees x, passes y on, and the last does not see x: one cycle: 7.
//@ check: safe executions=3 blocked=0
//@ check --cflag=-DMP: safe executions=3 blocked=0
//@ check --cflag=-DLB: safe executions=3 blocked=0
//@ check --cflag=-DR: safe executions=3 blocked=0
//@ check --cflag=-DS: safe executions=3 blocked=0
//@ check --cflag=-DTWO_TWO_W: safe executions=3 blocked=0
//@ check --cflag=-DIRIW: safe executions=15 blocked=0
//@ check --cflag=-DWRC: safe executions=7 blocked=0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen[4];

#define READ(n, place) seen[n] = atomic_load(&place)
#define WRITE(place, value) atomic_store(&place, value)

#if defined MP
#define FIRST WRITE(x, 1); WRITE(y, 1);
#define SECOND READ(0, y); READ(1, x);
#define ALLOWED (!seen[0] || seen[1])
#elif defined LB
#define FIRST READ(0, x); WRITE(y, 1);
#define SECOND READ(1, y); WRITE(x, 1);
#define ALLOWED (!seen[0] || !seen[1])
#elif defined R
#define FIRST WRITE(x, 1); WRITE(y, 1);
#define SECOND WRITE(y, 2); READ(0, x);
#define ALLOWED (y == 1 || seen[0])
#elif defined S
#define FIRST WRITE(x, 2); WRITE(y, 1);
#define SECOND READ(0, y); WRITE(x, 1);
#define ALLOWED (!seen[0] || x == 1)
#elif defined TWO_TWO_W
#define FIRST WRITE(x, 1); WRITE(y, 2);
#define SECOND WRITE(y, 1); WRITE(x, 2);
#define ALLOWED (x == 2 || y == 2)
#elif defined IRIW
#define FIRST WRITE(x, 1);
#define SECOND WRITE(y, 1);
#define THIRD READ(0, x); READ(1, y);
#define FOURTH READ(2, y); READ(3, x);
#define ALLOWED (!(seen[0] && !seen[1] && seen[2] && !seen[3]))
#elif defined WRC
#define FIRST WRITE(x, 1);
#define SECOND READ(0, x); WRITE(y, 1);
#define THIRD READ(1, y); READ(2, x);
#define ALLOWED (!(seen[0] && seen[1] && !seen[2]))
#else
#define FIRST WRITE(x, 1); READ(0, y);
#define SECOND WRITE(y, 1); READ(1, x);
#define ALLOWED (seen[0] || seen[1])
#endif
#ifndef THIRD
#define THIRD
#endif
#ifndef FOURTH
#define FOURTH
#endif

static void *first(void *arg)
{
    FIRST
    return arg;
}

static void *second(void *arg)
{
    SECOND
    return arg;
}

static void *third(void *arg)
{
    THIRD
    return arg;
}

static void *fourth(void *arg)
{
    FOURTH
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    pthread_create(&threads[3], NULL, fourth, NULL);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], NULL);
    assert(ALLOWED);
    return 0;
}
