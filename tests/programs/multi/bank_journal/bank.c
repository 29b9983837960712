#include "bank.h"

#include "journal.h"

static struct account accounts[ACCOUNTS];

void bank_open(void)
{
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].balance = 50 * i;
    }
}

static void lock_both(int from, int to)
{
#ifndef UNORDERED_LOCKS
    if (from > to) {
        lock_both(to, from);
        return;
    }
#endif
    pthread_mutex_lock(&accounts[from].lock);
    pthread_mutex_lock(&accounts[to].lock); //~ BUG deadlock
}

bool bank_transfer(int from, int to, int amount)
{
    lock_both(from, to);
    bool covered = accounts[from].balance >= amount;
    if (covered) {
        accounts[from].balance -= amount;
        accounts[to].balance += amount;
#ifndef LATE_ENTRY
        journal_write(from, to, amount);
#endif
    }
    pthread_mutex_unlock(&accounts[to].lock);
    pthread_mutex_unlock(&accounts[from].lock);
#ifdef LATE_ENTRY
    if (covered)
        journal_write(from, to, amount);
#endif
    return covered;
}

int bank_balance(int account)
{
    pthread_mutex_lock(&accounts[account].lock);
    int balance = accounts[account].balance;
    pthread_mutex_unlock(&accounts[account].lock);
    return balance;
}
