// Figure 6.10 of the thesis: both threads update x twice. A pair has several instances: the write of one thread can come behind the first or
// the second read of the other, in either round. There are 34 orders of the reads and writes (counted by `classes`).
//@ check --races ignore --strategy value-schedule: bug assertion executions=34
//@ check --races ignore: bug assertion executions=34
#include <assert.h>
#include <pthread.h>

static int x;

static void *one(void *unused) {
    for (int i = 0; i < 2; i++)
        x -= 10;
    return unused;
}

static void *two(void *unused) {
    for (int i = 0; i < 2; i++)
        x += 10;
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(x == 0); //~ BUG assertion
    return 0;
}
