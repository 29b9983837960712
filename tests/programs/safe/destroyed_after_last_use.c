// Synchronisation objects may be destroyed and freed by who knows, through the object itself, that the others are done with it.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ check --cflag=-DOBJECT=1: safe
//@ check --cflag=-DOBJECT=2: safe
//@ check --cflag=-DOBJECT=3: safe
//@ check --cflag=-DOBJECT=4: safe
//@ check --cflag=-DOBJECT=5: safe
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#ifndef OBJECT
#define OBJECT 0
#endif

struct objects {
    sem_t semaphore;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    pthread_barrier_t barrier;
    int is_done;
};

static void *work(void *arg)
{
    struct objects *o = arg;
    switch (OBJECT) {
    case 0:
        sem_post(&o->semaphore);
        break;
    case 1:
        pthread_mutex_lock(&o->mutex);
        o->is_done = 1;
        pthread_mutex_unlock(&o->mutex);
        break;
    case 2:
        pthread_mutex_lock(&o->mutex);
        o->is_done = 1;
        pthread_cond_signal(&o->condition);
        pthread_mutex_unlock(&o->mutex);
        break;
    case 3:
        pthread_rwlock_wrlock(&o->rwlock);
        o->is_done = 1;
        pthread_rwlock_unlock(&o->rwlock);
        break;
    case 4:
        pthread_spin_lock(&o->spin);
        o->is_done = 1;
        pthread_spin_unlock(&o->spin);
        break;
    case 5:
        pthread_barrier_wait(&o->barrier);
        break;
    }
    return NULL;
}

static int is_done(struct objects *o)
{
    int done = 1;
    switch (OBJECT) {
    case 0:
        sem_wait(&o->semaphore);
        sem_destroy(&o->semaphore);
        break;
    case 1:
        pthread_mutex_lock(&o->mutex);
        done = o->is_done;
        pthread_mutex_unlock(&o->mutex);
        break;
    case 2:
        pthread_mutex_lock(&o->mutex);
        while (!o->is_done)
            pthread_cond_wait(&o->condition, &o->mutex);
        pthread_cond_destroy(&o->condition);
        pthread_mutex_unlock(&o->mutex);
        break;
    case 3:
        pthread_rwlock_rdlock(&o->rwlock);
        done = o->is_done;
        pthread_rwlock_unlock(&o->rwlock);
        break;
    case 4:
        pthread_spin_lock(&o->spin);
        done = o->is_done;
        pthread_spin_unlock(&o->spin);
        break;
    case 5:
        pthread_barrier_wait(&o->barrier);
        break;
    }
    return done;
}

int main(void)
{
    pthread_t thread;
    struct objects *o = malloc(sizeof *o);
    sem_init(&o->semaphore, 0, 0);
    pthread_mutex_init(&o->mutex, NULL);
    pthread_cond_init(&o->condition, NULL);
    pthread_rwlock_init(&o->rwlock, NULL);
    pthread_spin_init(&o->spin, 0);
    pthread_barrier_init(&o->barrier, NULL, 2);
    o->is_done = 0;
    pthread_create(&thread, NULL, work, o);
    if (is_done(o)) {
        // A thread that was let through the barrier has nothing to do with it any more.
        if (OBJECT == 5)
            pthread_barrier_destroy(&o->barrier);
        free(o);
    }
    pthread_join(thread, NULL);
    return 0;
}
