// Accounts in an array, each with a lock. A transfer takes the lock of the account that pays and forgets that of the other.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2 // accounts and threads
#endif


struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account *accounts[N];

static void deposit(struct account *account, int amount) {
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void withdraw(struct account *account, int amount) {
    pthread_mutex_lock(&account->lock);
    account->balance -= amount;
    pthread_mutex_unlock(&account->lock);
}

static void transfer(struct account *from, struct account *to, int amount) {
    pthread_mutex_lock(&from->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&from->lock);
}

static void *manager(void *number) {
    int me = (int)(long)number;
    deposit(accounts[me], 10);
    withdraw(accounts[me], 10);
    transfer(accounts[me], accounts[(me + 1) % N], 10);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        accounts[i] = malloc(sizeof *accounts[i]);
        pthread_mutex_init(&accounts[i]->lock, 0);
        accounts[i]->balance = 100;
    }
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, manager, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += accounts[i]->balance;
    assert(sum == 100 * N); //~ BUG assertion
    return 0;
}
