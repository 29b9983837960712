// The lock is that of the next account, not of the one that is updated: an old value of the index is kept beside it.
//@ check: bug data-race
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int val;
};

static struct account accounts[3] = {
    {PTHREAD_MUTEX_INITIALIZER, 0},
    {PTHREAD_MUTEX_INITIALIZER, 0},
    {PTHREAD_MUTEX_INITIALIZER, 0},
};

static void *run(void *arg) {
    long i = (long)arg;
    while (i < 1) {
        long old = i;
        i++;
        pthread_mutex_lock(&accounts[i].m);
        accounts[old].val++; //~ BUG data-race
        pthread_mutex_unlock(&accounts[i].m);
    }
    return 0;
}

static void *other(void *arg) {
    long i = (long)arg;
    pthread_mutex_lock(&accounts[i].m);
    accounts[i].val++; //~ BUG data-race
    pthread_mutex_unlock(&accounts[i].m);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, run, 0);
    pthread_create(&t2, 0, other, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
