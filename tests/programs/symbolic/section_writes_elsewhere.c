// Inputs decide which element an atomic section writes. The process may end before the section: 1. If that writes the element that main writes, it is
// ordered with main's write, 2, and with the worker's last write there are 3 orders. If it writes one of the two others, the last write is missing or
// comes before main's or after: 2 × 3. In all 12.
//@ check --races=ignore: safe executions=12
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
