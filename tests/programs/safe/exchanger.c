// Two threads swap what they bring: the first leaves its offer and sleeps on a semaphore, the second takes it and replies.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

static _Atomic(int *) offer;
static int *reply;
static sem_t matched;

static int *exchange(int *mine)
{
    int *theirs = NULL;
    if (atomic_compare_exchange_strong(&offer, &theirs, mine)) {
        sem_wait(&matched);
        return reply;
    }
    reply = mine;
    sem_post(&matched);
    return theirs;
}

static void *other(void *arg)
{
    static int twenty;
    (void)arg;
    twenty = 20;
    return (void *)(intptr_t)*exchange(&twenty);
}

int main(void)
{
    pthread_t thread;
    void *got;
    static int ten;
    sem_init(&matched, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    ten = 10;
    assert(*exchange(&ten) == 20);
    pthread_join(thread, &got);
    assert((intptr_t)got == 10);
    sem_destroy(&matched);
    return 0;
}
