// Each access to the balance is locked, but check and withdrawal are two critical sections: two withdrawals pass the same check.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int current(void)
{
    pthread_mutex_lock(&lock);
    int value = balance;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *withdraw(void *arg)
{
    if (current() >= 80) {
        pthread_mutex_lock(&lock);
        balance -= 80;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, withdraw, NULL);
    withdraw(NULL);
    pthread_join(thread, NULL);
    assert(balance >= 0); //~ BUG assertion
    return 0;
}
