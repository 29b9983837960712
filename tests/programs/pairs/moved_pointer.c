// Both threads lock the account that the box holds and then update the account that it holds, but a third one puts another
// account into the box in between. The lock is not that of the account that is updated.
//@ check --races ignore: safe
//@ check: bug data-race
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int val;
};

struct box {
    _Atomic(struct account *) a;
};

static struct account X = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct account Y = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct box box = {&X};

static void *run(void *arg) {
    struct box *b = arg;
    pthread_mutex_t *m = &b->a->m;
    pthread_mutex_lock(m);
    b->a->val++; //~ BUG data-race
    pthread_mutex_unlock(m);
    return 0;
}

static void *replace(void *arg) {
    struct box *b = arg;
    b->a = &Y;
    return 0;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, 0, run, &box);
    pthread_create(&t2, 0, run, &box);
    pthread_create(&t3, 0, replace, &box);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    pthread_join(t3, 0);
    return 0;
}
