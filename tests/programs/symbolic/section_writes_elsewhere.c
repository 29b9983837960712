// Inputs decide which element an atomic section writes. If that writes the element that main writes, it is ordered with main's write, and with the worker's
// last write there are 3 orders. If it writes one of the two others, the last write comes before main's or after: 2 × 2. In total 7.
//@ check --races=ignore: safe executions=7
#include <gordian.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int cells[4];

static void *worker(void *arg)
{
    int n = gordian_range(0, 2, "n");
    __VERIFIER_atomic_begin();
    cells[n] = 1;
    __VERIFIER_atomic_end();
    cells[0] = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    cells[0] = 3;
    return 0;
}
