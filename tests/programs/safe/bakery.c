// Lamport's bakery for three threads.
//@ check --strategy random --runs 100: bounded
//@ check --strategy pos --runs 100: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { N = 3 };

static atomic_int choosing[N], number[N];
static int counter;

static void enter(int me)
{
    int highest = 0;
    atomic_store(&choosing[me], 1);
    for (int i = 0; i < N; i++) {
        int n = atomic_load(&number[i]);
        if (n > highest)
            highest = n;
    }
    int mine = highest + 1;
    atomic_store(&number[me], mine);
    atomic_store(&choosing[me], 0);
    for (int i = 0; i < N; i++) {
        if (i == me)
            continue;
        while (atomic_load(&choosing[i])) {
        }
        for (;;) {
            int theirs = atomic_load(&number[i]);
            if (theirs == 0 || theirs > mine || (theirs == mine && i > me))
                break;
        }
    }
}

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg;
    enter(me);
    counter++;
    atomic_store(&number[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[N - 1];
    for (intptr_t i = 1; i < N; i++)
        pthread_create(&threads[i - 1], NULL, work, (void *)i);
    work((void *)0);
    for (int i = 0; i < N - 1; i++)
        pthread_join(threads[i], NULL);
    assert(counter == N);
    return 0;
}
