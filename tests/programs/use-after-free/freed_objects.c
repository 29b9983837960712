// Synchronisation objects of all kinds in memory that main frees, reallocates, or has on a stack frame that ends while a worker may still use them.
//@ check --races ignore --cflag=-DUSE=pthread_mutex_lock(&o->mutex): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_mutex_trylock(&o->mutex): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_rwlock_rdlock(&o->rwlock): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_rwlock_wrlock(&o->rwlock): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_spin_lock(&o->spin): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_cond_signal(&o->condition): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_cond_broadcast(&o->condition): bug use-after-free
//@ check --races ignore --cflag=-DUSE=sem_post(&o->semaphore): bug use-after-free
//@ check --races ignore --cflag=-DUSE=sem_wait(&o->semaphore): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_barrier_wait(&o->barrier): bug use-after-free
//@ check --races ignore --cflag=-DUSE=pthread_once(&o->once,nothing): bug use-after-free
//@ check --races ignore --cflag=-DREALLOCATES --cflag=-DUSE=sem_post(&o->semaphore): bug use-after-free
//@ check --races ignore --cflag=-DENDS --cflag=-DUSE=sem_post(&o->semaphore): bug use-after-free
//@ check --races ignore --strategy dpor-classic --cflag=-DENDS --cflag=-DUSE=pthread_mutex_lock(&o->mutex): bug use-after-free
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef USE
#define USE pthread_mutex_lock(&o->mutex)
#endif

struct objects {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    pthread_cond_t condition;
    sem_t semaphore;
    pthread_barrier_t barrier;
    pthread_once_t once;
};

static struct objects *objects;

static void nothing(void) {}

static void initialise(struct objects *o)
{
    pthread_mutex_init(&o->mutex, NULL);
    pthread_rwlock_init(&o->rwlock, NULL);
    pthread_spin_init(&o->spin, 0);
    pthread_cond_init(&o->condition, NULL);
    sem_init(&o->semaphore, 0, 1);
    pthread_barrier_init(&o->barrier, NULL, 1);
    o->once = PTHREAD_ONCE_INIT;
    (void)nothing;
}

static void *work(void *arg)
{
    struct objects *o = arg;
    USE; //~ BUG use-after-free
    return NULL;
}

static pthread_t start(struct objects *o)
{
    pthread_t thread;
    initialise(o);
    pthread_create(&thread, NULL, work, o);
    return thread;
}

static pthread_t start_with_local(void)
{
    struct objects local;
    return start(&local);
}

int main(void)
{
#ifdef ENDS
    pthread_t thread = start_with_local();
    atomic_thread_fence(memory_order_seq_cst);
#else
    objects = malloc(sizeof *objects);
    pthread_t thread = start(objects);
    (void)start_with_local;
#ifdef REALLOCATES
    objects = realloc(objects, 2 * sizeof *objects);
#endif
    free(objects);
#endif
    pthread_join(thread, NULL);
    return 0;
}
