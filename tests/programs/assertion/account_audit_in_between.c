// Every account has its own lock; the transfer holds one at a time. An audit in between misses the money on its way.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy pos --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account a = {PTHREAD_MUTEX_INITIALIZER, 60}, b = {PTHREAD_MUTEX_INITIALIZER, 40};

static void change(struct account *account, int amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void *transfer(void *arg)
{
    change(&a, -10);
    change(&b, 10);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, transfer, NULL);
    pthread_mutex_lock(&a.lock);
    pthread_mutex_lock(&b.lock);
    int total = a.balance + b.balance;
    pthread_mutex_unlock(&b.lock);
    pthread_mutex_unlock(&a.lock);
    pthread_join(thread, NULL);
    assert(total == 100); //~ BUG assertion
    return 0;
}
