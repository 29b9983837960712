#ifndef BANK_H
#define BANK_H

#include <pthread.h>
#include <stdbool.h>

enum { ACCOUNTS = 3 };

struct account {
    pthread_mutex_t lock;
    int balance;
};

void bank_open(void);
/* False if the source does not cover the amount. */
bool bank_transfer(int from, int to, int amount);
int bank_balance(int account);

#endif
