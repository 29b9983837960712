// Four try for a read-write lock, one of them in an atomic section, one twice, and main ends the process, which waits for the others. What the
// section does is a guess when it is planned for another time, and what waits beside it is planned anew when it turns out otherwise. There are 257 traces, as
// `classes` counts them.
//@ check: safe executions=257 blocked=0
//@ check --jobs 2: safe executions=257 blocked=0
#include <pthread.h>
#include <time.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static const struct timespec soon = {1, 0};

static void *tries_in_a_section(void *arg)
{
    __VERIFIER_atomic_begin();
    if (pthread_rwlock_trywrlock(&lock) == 0)
        pthread_rwlock_unlock(&lock);
    __VERIFIER_atomic_end();
    return arg;
}

static void *tries_twice_to_read(void *arg)
{
    for (int i = 0; i < 2; i++)
        if (pthread_rwlock_tryrdlock(&lock) == 0)
            pthread_rwlock_unlock(&lock);
    return arg;
}

static void *tries_to_write(void *arg)
{
    if (pthread_rwlock_trywrlock(&lock) == 0)
        pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, tries_in_a_section, NULL);
    pthread_create(&threads[1], NULL, tries_twice_to_read, NULL);
    pthread_create(&threads[2], NULL, tries_to_write, NULL);
    if (pthread_rwlock_timedrdlock(&lock, &soon) == 0)
        pthread_rwlock_unlock(&lock);
    return 0;
}
