// The cigarette smokers, the easy way: the agent wakes exactly the smoker who owns the third ingredient and waits until he has smoked.
//@ check --strategy random --runs 100: bounded
//@ check --strategy pos --runs 100: bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>

enum { SMOKERS = 3, ROUNDS = 4 };

static sem_t your_turn[SMOKERS], table_free;
static bool closing;
static int smoked[SMOKERS];

static void *smoker(void *arg)
{
    intptr_t me = (intptr_t)arg;
    for (;;) {
        sem_wait(&your_turn[me]);
        if (closing)
            return NULL;
        smoked[me]++;
        sem_post(&table_free);
    }
}

int main(void)
{
    pthread_t threads[SMOKERS];
    sem_init(&table_free, 0, 1);
    for (intptr_t i = 0; i < SMOKERS; i++) {
        sem_init(&your_turn[i], 0, 0);
        pthread_create(&threads[i], NULL, smoker, (void *)i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&table_free);
        sem_post(&your_turn[round * 2 % SMOKERS]);
    }
    sem_wait(&table_free);
    closing = true;
    for (int i = 0; i < SMOKERS; i++)
        sem_post(&your_turn[i]);
    for (int i = 0; i < SMOKERS; i++)
        pthread_join(threads[i], NULL);
    assert(smoked[0] == 2 && smoked[1] == 1 && smoked[2] == 1);
    return 0;
}
