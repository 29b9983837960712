// Figure 6.2 of the thesis: two threads update X without a common lock, and the branch in the second is never taken. The read and
// the write of the first each come before or after those of the second: both before; both after; and two ways in which an update gets lost.
//@ check --races ignore --strategy value-schedule: bug assertion executions=4
//@ check --races ignore: bug assertion executions=4
//@ check --races ignore --strategy explicit: bug assertion
#include <assert.h>
#include <pthread.h>

struct account {
    int val;
    pthread_mutex_t m;
};

static struct account X = {0, PTHREAD_MUTEX_INITIALIZER};
static struct account Y = {0, PTHREAD_MUTEX_INITIALIZER};
static int amt = 10;

static void *one(void *unused) {
    pthread_mutex_lock(&X.m);
    X.val += amt;
    pthread_mutex_unlock(&X.m);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&Y.m);
    X.val -= amt;
    if (Y.val < 0)
        X.val = 0;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(X.val == 0); //~ BUG assertion
    return 0;
}
