// Bank accounts with a lock each. A transfer takes the lock of the account that pays, but not of the one that is paid, whose owner may be at it;
// the bug that the paper tells of (Razavi, Farzan and Holzer, 2012).
// Two threads, two inputs: the amounts. Needs one interference: `balance` at the assertion, in a withdrawal that holds the lock; the paper found
// it at one.
//@ check: bug assertion executions=10 blocked=0
//@ check --cflag=-DFIXED: safe executions=6 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=6
//@ check --strategy interference --max-interferences 1: bug assertion executions=7
//@ check --cflag=-DFIXED --strategy interference: safe executions=6
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct account {
    pthread_mutex_t lock;
    atomic_int balance;
};

static struct account ann = {PTHREAD_MUTEX_INITIALIZER, 100}, bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static bool withdraw(struct account *account, int amount)
{
    bool enough = false;
    pthread_mutex_lock(&account->lock);
    int before = account->balance;
    if (amount <= before) {
        account->balance = before - amount;
        assert(account->balance == before - amount); //~ BUG assertion
        enough = true;
    }
    pthread_mutex_unlock(&account->lock);
    return enough;
}

static void transfer(struct account *from, struct account *to, int amount)
{
#ifdef FIXED
    if (!withdraw(from, amount))
        return;
    pthread_mutex_lock(&to->lock);
    to->balance = to->balance + amount;
    pthread_mutex_unlock(&to->lock);
#else
    pthread_mutex_lock(&from->lock);
    if (amount <= from->balance) {
        from->balance = from->balance - amount;
        to->balance = to->balance + amount;
    }
    pthread_mutex_unlock(&from->lock);
#endif
}

static void *ann_pays(void *arg)
{
    transfer(&ann, &bob, gordian_range(1, 200, "paid"));
    return arg;
}

static void *bob_withdraws(void *arg)
{
    withdraw(&bob, gordian_range(1, 200, "withdrawn"));
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, ann_pays, NULL);
    pthread_create(&second, NULL, bob_withdraws, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
