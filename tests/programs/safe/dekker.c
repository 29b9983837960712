// Dekker's algorithm: the loser withdraws its wish and waits for its turn.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pos --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int counter;

static void *work(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == other) {
            atomic_store(&wants[me], 0);
            while (atomic_load(&turn) == other) {
            }
            atomic_store(&wants[me], 1);
        }
    }
    counter++;
    atomic_store(&turn, other);
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    return 0;
}
