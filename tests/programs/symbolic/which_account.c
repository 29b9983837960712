// N threads pay into one of M accounts each, as their inputs say, and every account has a lock. Those who meet at an account come in any order: the sum over
// all M^N ways to choose of the product of K! over the accounts, where K pay in. That is M * (M + 1) * … * (M + N - 1): 60 for three and three.
// Exploring each of the M^N paths in the N! orders that there are where all meet would be 162.
//@ check --cflag=-DN=2 --cflag=-DM=2: safe executions=6 blocked=0
//@ check --cflag=-DN=3 --cflag=-DM=2: safe executions=24 blocked=0
//@ check --cflag=-DN=3 --cflag=-DM=3: safe executions=60 blocked=0
//@ check --cflag=-DN=4 --cflag=-DM=4: safe executions=840 blocked=0
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif
#ifndef M
#define M 3
#endif

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[M];

static void *pay(void *arg)
{
    int chosen = gordian_range(0, M - 1, "account"), mine = 0;
    while (mine < chosen)
        mine++;
    pthread_mutex_lock(&accounts[mine].lock);
    accounts[mine].balance++;
    pthread_mutex_unlock(&accounts[mine].lock);
    return arg;
}

int main(void)
{
    pthread_t threads[N];
    int total = 0;
    for (int m = 0; m < M; m++)
        pthread_mutex_init(&accounts[m].lock, NULL);
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, pay, NULL);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    for (int m = 0; m < M; m++)
        total += accounts[m].balance;
    assert(total == N);
    return 0;
}
