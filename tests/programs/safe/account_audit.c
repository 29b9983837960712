// The audit takes the same lock as the transfer, so it never counts money twice or not at all.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static int checking = 70, savings = 30;

static void *move_money(void *arg)
{
    pthread_mutex_lock(&bank);
    checking -= 25;
    savings += 25;
    pthread_mutex_unlock(&bank);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, move_money, NULL);
    pthread_mutex_lock(&bank);
    int total = checking + savings;
    pthread_mutex_unlock(&bank);
    assert(total == 100);
    pthread_join(thread, NULL);
    return 0;
}
