// Two threads move money in and out of two accounts. Each account has its own lock, but one of the threads takes the lock of
// the wrong account.
#include <assert.h>
#include <pthread.h>

struct account {
    int val;
    pthread_mutex_t m;
};

static struct account X = {0, PTHREAD_MUTEX_INITIALIZER};
static struct account Y = {0, PTHREAD_MUTEX_INITIALIZER};
static int amt = 10;

static void *deposit(void *unused) {
    pthread_mutex_lock(&X.m);
    X.val += amt;
    pthread_mutex_unlock(&X.m);
    pthread_mutex_lock(&Y.m);
    Y.val += amt;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

static void *withdraw(void *unused) {
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

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, deposit, 0);
    pthread_create(&t2, 0, withdraw, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    assert(X.val == Y.val);
    return 0;
}
