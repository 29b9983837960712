// Inputs decide right behind the read of `a` by main. A plan that reverses the two writes of `b` needs the read, but neither way of the decision: it cannot be made as it
// was planned, and whoever gives it up has to go on in both ways.
//
// 20 traces. main reads `a` before or after each write of it and goes on to join or ends (k). If x is true, T1 writes `a` beside T2's write of it; otherwise T1 writes `b`
// beside T2's write of it. With x: the writes of `a` come in 2 orders, and the read before both, between or behind: 6. Without: the read comes before or behind
// `a = 1`, and the writes of `b` in 2 orders: 4. Each for both k: 20.
//@ check --races ignore: bug assertion executions=20
//@ check --races ignore --order random: bug assertion executions=20
//@ check --races ignore --jobs 2: bug assertion executions=20
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *decides(void *arg) {
    if (gordian_bool("x"))
        a = 2;
    else
        b = 1;
    return arg;
}

static void *writes(void *arg) {
    a = 1;
    b = 2;
    return arg;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, decides, NULL);
    pthread_create(&threads[1], NULL, writes, NULL);
    int seen = a;
    if (gordian_bool("k"))
        pthread_exit(NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(!(seen == 0 && b == 1)); //~ BUG assertion
    return 0;
}
