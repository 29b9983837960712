// Figure 5.18 of the thesis: the branch in the second thread can be taken, since a third writes Y.val without a lock. So the write of
// X.val in the branch can come before the first thread's write. There are 60 orders of dependent steps (counted by `classes`).
//@ check --races ignore: bug assertion executions=60
//@ check --races ignore --strategy value-schedule: bug assertion executions=60
//@ check --races ignore --strategy value-schedule --without priorities: bug assertion executions=60
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
    pthread_mutex_lock(&Y.m);
    Y.val += amt;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

static void *two(void *unused) {
    pthread_mutex_lock(&Y.m);
    X.val -= amt;
    if (Y.val < 0)
        X.val = 0;
    pthread_mutex_unlock(&Y.m);
    pthread_mutex_lock(&Y.m);
    Y.val -= amt;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

static void *three(void *unused) {
    Y.val = -999;
    return unused;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_create(&t3, 0, three, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    assert(X.val == Y.val); //~ BUG assertion
    return 0;
}
