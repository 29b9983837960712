// The locks are crossed where both threads found a 3. The solver also proposes that they found different values, which inputs do not allow. The execution that was to show that ended in the other
// deadlock, which is always there (nobody posts), and was taken for the one that had been proposed, so that the places of both threads were not asked for again.
// Deadlocks: the waiter alone is left; both threads block each other, too.
//@ check --races ignore: bug deadlock message="all 4 remaining threads"
//@ check --races ignore --strategy unfold: bug deadlock message="all 4 remaining threads"
//@ check --races ignore --strategy contextual: bug deadlock message="all 4 remaining threads"
#include <gordian.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int x;

static void *first(void *arg)
{
    int found;
    if (x == 1)
        found = 1;
    else if (x == 2)
        found = 2;
    else if (x == 3)
        found = 3;
    else
        return arg;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return found > 3 ? NULL : arg;
}

static void *second(void *arg)
{
    int found;
    if (x == 4)
        found = 4;
    else if (x == 5)
        found = 5;
    else if (x == 3)
        found = 3;
    else
        return arg;
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return found > 5 ? NULL : arg;
}

static void *waiter(void *arg)
{
    sem_wait(&never);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    x = gordian_int("x");
    sem_init(&never, 0, 0);
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, waiter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
