// Each account is updated under its own lock, whichever account it is: no pair of accesses to balances, although no lock has
// a certain name. The threads come from one place in a loop.
//@ check: safe
#include <assert.h>
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

static void add(struct account *a, int amount) {
    pthread_mutex_lock(&a->m);
    a->val += amount;
    pthread_mutex_unlock(&a->m);
}

static void *run(void *arg) {
    long first = (long)arg;
    for (long i = first; i < first + 2; i++) {
        add(&accounts[i], 1);
        pthread_mutex_lock(&accounts[i].m);
        accounts[i].val++;
        pthread_mutex_unlock(&accounts[i].m);
    }
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
