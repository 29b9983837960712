// Transfers lock both accounts in the order of their numbers: the total is kept, and opposite transfers cannot deadlock.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 50}};

static void transfer(int from, int to, int amount)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&accounts[low].lock);
    pthread_mutex_lock(&accounts[high].lock);
    accounts[from].balance -= amount;
    accounts[to].balance += amount;
    pthread_mutex_unlock(&accounts[high].lock);
    pthread_mutex_unlock(&accounts[low].lock);
}

static void *there(void *arg)
{
    transfer(0, 1, 30);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, there, NULL);
    transfer(1, 0, 20);
    pthread_join(thread, NULL);
    assert(accounts[0].balance == 90 && accounts[1].balance == 60);
    return 0;
}
