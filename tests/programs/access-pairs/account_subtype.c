// As account_race, with two kinds of accounts behind a pointer to a function: those of persons are deposited to without a lock.
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
    void (*deposit)(struct account *, int);
};

static struct account *accounts[N];

static void deposit_business(struct account *account, int amount) {
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void deposit_personal(struct account *account, int amount) { account->balance += amount; }

static void withdraw(struct account *account, int amount) {
    pthread_mutex_lock(&account->lock);
    account->balance -= amount;
    pthread_mutex_unlock(&account->lock);
}

static void *manager(void *number) {
    int me = (int)(long)number;
    struct account *from = accounts[me], *to = accounts[(me + 1) % N];
    withdraw(from, 10);
    to->deposit(to, 10);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        accounts[i] = malloc(sizeof *accounts[i]);
        pthread_mutex_init(&accounts[i]->lock, 0);
        accounts[i]->balance = 100;
        accounts[i]->deposit = i == N - 1 ? deposit_personal : deposit_business;
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
