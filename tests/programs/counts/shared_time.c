// One thread corrects the time that the other's timed lock is to wait until, and then takes the lock alone. If the time is read before, it is refused: 1
// trace. If it is read after: the reader takes the lock before the writer or after it, or gives up because the writer has it: 3 more.
//@ check --races ignore: safe executions=4 blocked=0
//@ check --races ignore --strategy dpor-classic: safe executions=4 blocked=0
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static struct timespec until = {0, -1};
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int count;

static void *correct(void *arg)
{
    until.tv_nsec = 0;
    pthread_rwlock_wrlock(&lock);
    count++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *attempt(void *arg)
{
    if (pthread_rwlock_timedrdlock(&lock, &until) == 0) {
        count++;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, correct, NULL);
    pthread_create(&b, NULL, attempt, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
