// Two try for a lock, and a third, after it has written something, takes it within a limit of time; main ends the process once the second attempt
// has been made, and nothing shows how far the others have come by then, so its exit waits for them. There are 21 traces, as `classes` counts them: the
// orders of attempts.
//@ check: safe executions=21 blocked=0
//@ check --jobs 2: safe executions=21 blocked=0
//@ check --strategy dpor-classic: safe
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int written;
static const struct timespec soon = {1, 0};

static void attempt(void)
{
    if (pthread_mutex_trylock(&lock) == 0)
        pthread_mutex_unlock(&lock);
}

static void *writes_and_takes(void *arg)
{
    atomic_store(&written, 1);
    if (pthread_mutex_timedlock(&lock, &soon) == 0)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void *attempts(void *arg)
{
    attempt();
    return arg;
}

int main(void)
{
    pthread_t writes, tries;
    pthread_create(&writes, NULL, writes_and_takes, NULL);
    pthread_create(&tries, NULL, attempts, NULL);
    attempt();
    pthread_join(tries, NULL);
    return 0;
}
