// As given_up_in_one_way.c, but it is an assumption that decides. A plan that was given up leaves its state loose: what sleeps there covers only what
// contains it. Whoever goes on from that state must know so, in whichever order parts of the search are explored.
//
// With k false main stops behind its read, and nobody joins. With k true it ends at the assertion. x: T2 writes `a` beside T3's write, or `b` beside T3's. With x, `a` is
// written in 2 orders, and T1 and main each read it before both, between or behind: 18. Without, each of them reads before or behind `a = 1`, and `b` is
// written in 2 orders: 8. That makes 26 for k true, and as many that are blocked for k false.
//@ check --races ignore: bug assertion executions=26
//@ check --races ignore --order random: bug assertion executions=26
//@ check --races ignore --order breadth: bug assertion executions=26
//@ check --races ignore --order coverage --jobs 2: bug assertion executions=26
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *reads(void *arg) {
    (void)arg;
    return (void *)(long)a;
}

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
    pthread_t threads[3];
    void *other;
    pthread_create(&threads[0], NULL, reads, NULL);
    pthread_create(&threads[1], NULL, decides, NULL);
    pthread_create(&threads[2], NULL, writes, NULL);
    int seen = a;
    gordian_assume(gordian_bool("k"));
    pthread_join(threads[0], &other);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    assert(!(other == 0 && seen == 0 && a == 1 && b == 1)); //~ BUG assertion
    return 0;
}
