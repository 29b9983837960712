// Two threads make one operation each, chosen by number, on objects that they share. `commute.rs` runs all pairs.
// Every outcome ends at a line of its own, so that searches can be compared by what they find.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct objects {
    pthread_mutex_t normal, recursive, checking, robust;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin, beside;
    pthread_cond_t condition;
    sem_t semaphore, nearly_full;
    pthread_barrier_t barrier;
    pthread_once_t once;
    int plain;
    atomic_int atomic;
    char bytes[8];
};

static struct objects *shared;
static _Atomic(struct objects *) local_objects;
static pthread_t helper;
static pthread_key_t known_key;
static atomic_int helper_may_end, n_runs, n_handled, n_destroyed;
static int file, pipe_ends[2];
#ifdef HIDDEN
static FILE *stream;
static char reading[] = "r";
#endif
extern char **environ;

static void initialise(struct objects *o)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_init(&o->normal, NULL);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&o->recursive, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&o->checking, &attributes);
#ifdef HIDDEN
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
#endif
    pthread_mutex_init(&o->robust, &attributes);
    pthread_rwlock_init(&o->rwlock, NULL);
    pthread_spin_init(&o->spin, 0);
    pthread_spin_init(&o->beside, 0);
    pthread_cond_init(&o->condition, NULL);
    sem_init(&o->semaphore, 0, 1);
    sem_init(&o->nearly_full, 0, SEM_VALUE_MAX - 1);
    pthread_barrier_init(&o->barrier, NULL, 2);
    o->once = PTHREAD_ONCE_INIT;
    o->plain = 0;
    atomic_init(&o->atomic, 0);
    memset(o->bytes, 0, sizeof o->bytes);
}

static void routine(void) { atomic_fetch_add(&n_runs, 1); }
static void handler(void) { atomic_fetch_add(&n_handled, 1); }
static void other_handler(void) { assert(atomic_load(&shared->atomic) == 0); }
static void destructor(void *value) { (void)value, atomic_fetch_add(&n_destroyed, 1); }

static void *help(void *arg)
{
    (void)arg;
    while (!atomic_load(&helper_may_end))
        pthread_testcancel();
    return (void *)7;
}

static int clean_up_state;
static void clean_up(void *arg) { (void)arg, clean_up_state = 1; }


static int operate(int which, struct objects *o)
{
    struct timespec soon = {1, 0};
    int value;
    switch (which) {
    case 0: return 0;
    case 1: pthread_mutex_lock(&o->normal); o->plain++; pthread_mutex_unlock(&o->normal); return 0;
    case 2: value = pthread_mutex_trylock(&o->normal); if (!value) pthread_mutex_unlock(&o->normal); return value;
    case 3: value = pthread_mutex_timedlock(&o->normal, &soon); if (!value) pthread_mutex_unlock(&o->normal); return value;
    case 4: pthread_mutex_lock(&o->normal); return 0;
    case 5: pthread_mutex_lock(&o->recursive); pthread_mutex_lock(&o->recursive); pthread_mutex_unlock(&o->recursive); return pthread_mutex_unlock(&o->recursive);
    case 6: value = pthread_mutex_trylock(&o->recursive); if (!value) pthread_mutex_unlock(&o->recursive); return value;
    case 7: return pthread_mutex_unlock(&o->recursive);
    case 8: pthread_mutex_lock(&o->checking); value = pthread_mutex_lock(&o->checking); pthread_mutex_unlock(&o->checking); return value;
    case 9: return pthread_mutex_unlock(&o->checking);
    case 10: return pthread_mutex_destroy(&o->normal);
    case 11: return pthread_mutex_init(&o->normal, NULL);
    case 12: memset(&o->normal, 0, sizeof o->normal); return 0;
    case 13: o->normal = o->recursive; return 0;
    case 14: pthread_rwlock_rdlock(&o->rwlock); return pthread_rwlock_unlock(&o->rwlock);
    case 15: pthread_rwlock_wrlock(&o->rwlock); return pthread_rwlock_unlock(&o->rwlock);
    case 16: value = pthread_rwlock_tryrdlock(&o->rwlock); if (!value) pthread_rwlock_unlock(&o->rwlock); return value;
    case 17: value = pthread_rwlock_trywrlock(&o->rwlock); if (!value) pthread_rwlock_unlock(&o->rwlock); return value;
    case 18: value = pthread_rwlock_timedrdlock(&o->rwlock, &soon); if (!value) pthread_rwlock_unlock(&o->rwlock); return value;
    case 19: memset(&o->rwlock, 0, sizeof o->rwlock); return 0;
    case 20: return pthread_rwlock_destroy(&o->rwlock);
    case 21: pthread_spin_lock(&o->spin); return pthread_spin_unlock(&o->spin);
    case 22: value = pthread_spin_trylock(&o->spin); if (!value) pthread_spin_unlock(&o->spin); return value;
    case 23: pthread_spin_lock(&o->beside); return pthread_spin_unlock(&o->beside);
    case 24: return *(volatile int *)&o->spin;
    case 25: *(volatile int *)&o->spin = 0; return 0;
    case 26: pthread_mutex_lock(&o->normal); value = pthread_cond_timedwait(&o->condition, &o->normal, &soon); pthread_mutex_unlock(&o->normal); return value;
    case 27: pthread_mutex_lock(&o->normal); if (!o->plain) pthread_cond_wait(&o->condition, &o->normal); pthread_mutex_unlock(&o->normal); return 0;
    case 28: pthread_mutex_lock(&o->normal); o->plain = 1; pthread_mutex_unlock(&o->normal); return pthread_cond_signal(&o->condition);
    case 29: return pthread_cond_broadcast(&o->condition);
    case 30: return pthread_cond_destroy(&o->condition);
    case 31: memset(&o->condition, 0, sizeof o->condition); return 0;
    case 32: return sem_wait(&o->semaphore);
    case 33: return sem_trywait(&o->semaphore);
    case 34: return sem_timedwait(&o->semaphore, &soon);
    case 35: return sem_post(&o->semaphore);
    case 36: sem_getvalue(&o->semaphore, &value); return value;
    case 37: return sem_destroy(&o->semaphore);
    case 38: return sem_init(&o->semaphore, 0, 2);
    case 39: memset(&o->semaphore, 0, sizeof o->semaphore); return 0;
    case 40: value = pthread_barrier_wait(&o->barrier); return value == 0;
    case 41: return pthread_barrier_destroy(&o->barrier);
    case 42: pthread_once(&o->once, routine); return atomic_load(&n_runs);
    case 43: o->once = PTHREAD_ONCE_INIT; return 0;
    case 44: return o->plain;
    case 45: o->plain = 2; return 0;
    case 46: return atomic_fetch_add(&o->atomic, 1);
    case 47: return atomic_load(&o->atomic);
    case 48: value = 0; return atomic_compare_exchange_strong(&o->atomic, &value, 3);
    case 49: atomic_store(&o->atomic, 2); return 0;
    case 50: memset(o->bytes, 1, 5); return 0;
    case 51: return o->bytes[3];
    case 52: memcpy(o->bytes + 2, &o->plain, 4); return 0;
    case 53: free(o); return 0;
    case 54: o = realloc(o, 2 * sizeof *o); free(o); return 0;
    case 55: {
        struct objects local;
        initialise(&local);
        atomic_store(&local_objects, &local);
        return atomic_load(&o->atomic);
    }
    case 56:
        o = atomic_load(&local_objects);
        if (!o) return 0;
        pthread_mutex_lock(&o->normal);
        sem_post(&o->semaphore);
        pthread_mutex_unlock(&o->normal);
        return 1;
    case 57: value = sem_post(&o->nearly_full); return value != 0;
    case 58: return sem_wait(&o->nearly_full);
    case 59: value = pthread_mutex_lock(&o->checking); atomic_store(&o->atomic, 1); pthread_mutex_unlock(&o->checking); return value;
    case 60: value = atomic_load(&o->atomic); pthread_mutex_unlock(&o->checking); return value;
    case 61: return strlen(o->bytes);
#ifdef HIDDEN
    case 62: return pthread_mutex_lock(&o->robust);
    case 63: value = pthread_mutex_trylock(&o->robust); return value;
    case 64: return pthread_mutex_timedlock(&o->robust, &soon);
    case 65: { pthread_key_t key; pthread_key_create(&key, destructor); return key; }
    case 66: return pthread_key_delete(known_key);
    case 67: pthread_setspecific(known_key, &o->plain); return 0;
    case 68: return pthread_setspecific(known_key + 1, &o->plain);
    case 69: return atexit(handler);
    case 70: return atexit(other_handler);
    case 71: exit(3);
    case 72: _exit(4);
    case 73: return pthread_detach(helper);
    case 74: atomic_store(&helper_may_end, 1); return pthread_join(helper, NULL);
    case 75: return pthread_cancel(helper);
    case 76: atomic_store(&helper_may_end, 1); return 0;
    case 77: return write(file, "x", 1);
    case 78: return close(file);
    case 79: { char byte; return write(pipe_ends[1], "y", 1) + read(pipe_ends[0], &byte, 1); }
    case 80: setenv("NEW", "1", 1); return getenv("NEW") != NULL;
    case 81: return environ[0] == NULL;
    case 82: { struct timespec now; clock_gettime(CLOCK_REALTIME, &now); return now.tv_nsec / 1000 % 8; }
    case 83: return usleep(1);
    case 84: pthread_cleanup_push(clean_up, NULL); pthread_testcancel(); pthread_cleanup_pop(0); return 0;
    case 85: pthread_mutex_lock(&o->robust); value = pthread_mutex_unlock(&o->robust); return value;
    case 86: flockfile(stream); funlockfile(stream); return 0;
    case 87: value = ftrylockfile(stream); if (!value) funlockfile(stream); return value;
    case 88: return fclose(stream);
    case 89: return fputs(o->bytes, stream) == EOF;
    case 90: { char byte; return read(-1, &byte, 1) < 0; }
    case 91: return fdopen(file, reading) == NULL;
#endif
    }
    return 0;
}

static void *act(void *arg)
{
    // The objects begin at a multiple of 256: what is added to their address is the operation.
    long place = (long)arg;
    return (void *)(long)operate(place & 0xff, (struct objects *)(place & ~0xffL));
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *results[2];
    int operations[3];
    shared = malloc(sizeof *shared);
    initialise(shared);
    for (int i = 0; i < 3; i++)
        operations[i] = i + 1 < argc ? atoi(argv[i + 1]) : 0;
#ifdef HIDDEN
    pthread_key_create(&known_key, destructor);
    file = open("pairs.txt", O_CREAT | O_RDWR, 0600);
    pipe(pipe_ends);
    stream = tmpfile();
    if (operations[2] & 1)
        pthread_create(&helper, NULL, help, NULL);
    if (operations[2] & 2)
        atexit(other_handler);
#endif
    pthread_create(&threads[0], NULL, act, (char *)shared + operations[0]);
    pthread_create(&threads[1], NULL, act, (char *)shared + operations[1]);
    if (operations[2] & 4)
        return 0;
    pthread_join(threads[0], &results[0]);
    pthread_join(threads[1], &results[1]);
    switch (((unsigned long)results[0] * 3 + (unsigned long)results[1]) % 8) {
    case 0: assert(!"0");
    case 1: assert(!"1");
    case 2: assert(!"2");
    case 3: assert(!"3");
    case 4: assert(!"4");
    case 5: assert(!"5");
    case 6: assert(!"6");
    case 7: assert(!"7");
    }
    return 0;
}
