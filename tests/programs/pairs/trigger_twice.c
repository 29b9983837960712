// Figure 6.9 of the thesis: one thread updates x twice, the other once. There are 9 orders of the reads and writes (counted by
// `classes`): the read of the second thread takes one of three values, and its write stands at one of the places that this leaves.
//@ check --races ignore --strategy value-schedule: bug assertion executions=9
//@ check --races ignore: bug assertion executions=9
#include <assert.h>
#include <pthread.h>

static int x;

static void *one(void *unused) {
    for (int i = 0; i < 2; i++)
        x -= 10;
    return unused;
}

static void *two(void *unused) {
    x += 10;
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == -10); //~ BUG assertion
    return 0;
}
