// The second thread updates X.val through a pointer to one of two functions, from two places. Eight pairs of accesses to
// X.val: the read of the first thread against the write in `withdraw`, its write against the reads in `choose` and
// `withdraw` and against that write, each twice, once for each place of the call. One pair of acquisitions of Y.m.
//@ check --races ignore: safe
#include <pthread.h>

struct account {
    int val;
    pthread_mutex_t m;
};

static struct account X = {0, PTHREAD_MUTEX_INITIALIZER};
static struct account Y = {0, PTHREAD_MUTEX_INITIALIZER};
static int amt = 10;

typedef void (*manager)(struct account *);

static void withdraw(struct account *x) { x->val -= amt; }

static void frozen(struct account *x) { (void)x; }

static manager choose(struct account *x) { return x->val >= 0 ? withdraw : frozen; }

static void *one(void *unused) {
    pthread_mutex_lock(&X.m);
    X.val += amt;
    pthread_mutex_unlock(&X.m);
    pthread_mutex_lock(&Y.m);
    Y.val -= amt;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

static void *two(void *unused) {
    manager m = choose(&X);
    m(&X);
    m = choose(&X);
    m(&X);
    pthread_mutex_lock(&Y.m);
    Y.val -= amt;
    pthread_mutex_unlock(&Y.m);
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, one, 0);
    pthread_create(&t2, 0, two, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
