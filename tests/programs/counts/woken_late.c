// One reads a variable and, if it finds 0, takes a lock; another takes that lock before it reads; main writes the variable. If the first read comes
// after the write there is no order of locks, and the second read comes before or after the write: 2 traces. Otherwise there are two orders of locks
// for each of these: 4. Once the first read was explored it is asleep until the write, which may come before or after all that the other does.
//@ check --races ignore: safe executions=6 blocked=0
//@ check --races ignore --jobs 2: safe executions=6 blocked=0
//@ check --races ignore --strategy dpor-classic: safe
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *locks_and_reads(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    (void)atomic_load(&written);
    return arg;
}

static void *reads_and_locks(void *arg)
{
    if (atomic_load(&written) == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, locks_and_reads, NULL);
    pthread_create(&second, NULL, reads_and_locks, NULL);
    atomic_store(&written, 1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
