// Opposite transfers lock the source first: 0 to 1 and 1 to 0 at the same time deadlock.
//@ check --strategy exhaustive: bug deadlock
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 50}};

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); //~ BUG deadlock
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *arg)
{
    transfer(&accounts[0], &accounts[1], 30);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, there, NULL);
    transfer(&accounts[1], &accounts[0], 20);
    pthread_join(thread, NULL);
    assert(accounts[0].balance + accounts[1].balance == 150);
    return 0;
}
