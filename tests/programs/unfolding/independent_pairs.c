// Four variables, each with one reader and one writer. Every pair has two orders and knows nothing of the others, so there are 2^4 traces; but
// every event is in one of two executions: each reader before its writer, and after it.
//@ check --races ignore: safe executions=16
//@ check --races ignore --strategy unfold: safe executions=2
//@ check --races ignore --strategy contextual: safe executions=2
#include <pthread.h>
#include <stdatomic.h>

#define PAIRS 4

static atomic_int shared[PAIRS];

static void *reader(void *arg)
{
    int seen = *(atomic_int *)arg;
    (void)seen;
    return NULL;
}

static void *writer(void *arg)
{
    *(atomic_int *)arg = 1;
    return NULL;
}

int main(void)
{
    pthread_t threads[2 * PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&threads[2 * i], NULL, reader, &shared[i]);
        pthread_create(&threads[2 * i + 1], NULL, writer, &shared[i]);
    }
    for (int i = 0; i < 2 * PAIRS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
