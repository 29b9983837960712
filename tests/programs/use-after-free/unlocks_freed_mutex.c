// Main frees a mutex as soon as it sees what the worker does while it holds it: the worker has yet to unlock it.
//@ check --races ignore: bug use-after-free
//@ check --strategy dpor-classic --races ignore: bug use-after-free
//@ check --strategy exhaustive --races ignore: bug use-after-free
//@ check: bug data-race,use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;
static atomic_int flag;

static void *work(void *arg)
{
    pthread_mutex_lock(mutex);
    atomic_store(&flag, 1);
    pthread_mutex_unlock(mutex); //~ BUG use-after-free
    return arg;
}

int main(void)
{
    pthread_t thread;
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    pthread_create(&thread, NULL, work, NULL);
    if (atomic_load(&flag))
        free(mutex);
    pthread_join(thread, NULL);
    return 0;
}
