// The unlock is not conditional as the trylock is: when the worker holds the lock, main releases what is not its own.
//@ check --strategy exhaustive --keep-going: bug lock-misuse
//@ check --strategy random --runs 300: bug lock-misuse
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int value;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&value, 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    if (pthread_mutex_trylock(&lock) == 0)
        atomic_fetch_add(&value, 1);
    pthread_mutex_unlock(&lock); //~ BUG lock-misuse
    pthread_join(thread, NULL);
    return 0;
}
