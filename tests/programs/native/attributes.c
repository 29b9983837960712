// What functions on attributes refuse, and that attributes which stand in one word leave each other alone.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void show(const char *what, int result) {
    printf("%s %s\n", what, result == 0 ? "done" : result == EINVAL ? "EINVAL" : result == ENOTSUP ? "ENOTSUP" : result == EPERM ? "EPERM" : "?");
}

int main(void) {
    pthread_attr_t thread;
    pthread_attr_init(&thread);
    show("scope", pthread_attr_setscope(&thread, PTHREAD_SCOPE_SYSTEM));
    show("scope", pthread_attr_setscope(&thread, PTHREAD_SCOPE_PROCESS));
    show("scope", pthread_attr_setscope(&thread, 7));
    show("policy", pthread_attr_setschedpolicy(&thread, 99));
    show("inherit", pthread_attr_setinheritsched(&thread, 2));
    struct sched_param parameters = {1};
    show("priority", pthread_attr_setschedparam(&thread, &parameters));
    show("policy", pthread_attr_setschedpolicy(&thread, SCHED_FIFO));
    show("priority", pthread_attr_setschedparam(&thread, &parameters));
    show("guard", pthread_attr_setguardsize(&thread, 1));
    show("detached", pthread_attr_setdetachstate(&thread, 2));
    int state = -1;
    pthread_attr_getdetachstate(&thread, &state);
    printf("%d\n", state);
    pthread_attr_destroy(&thread);

    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    show("type", pthread_mutexattr_settype(&mutex, PTHREAD_MUTEX_ERRORCHECK));
    show("shared", pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED));
    show("shared", pthread_mutexattr_setpshared(&mutex, 2));
    show("protocol", pthread_mutexattr_setprotocol(&mutex, PTHREAD_PRIO_INHERIT));
    show("protocol", pthread_mutexattr_setprotocol(&mutex, 3));
    int kind = -1;
    pthread_mutexattr_gettype(&mutex, &kind);
    printf("%d\n", kind == PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t checking;
    pthread_mutex_init(&checking, &mutex);
    pthread_mutex_lock(&checking);
    printf("%d\n", pthread_mutex_lock(&checking) == EDEADLK);
    pthread_mutex_unlock(&checking);
    pthread_mutexattr_destroy(&mutex);

    pthread_rwlockattr_t lock;
    pthread_rwlockattr_init(&lock);
    show("kind", pthread_rwlockattr_setkind_np(&lock, 3));
    show("kind", pthread_rwlockattr_setkind_np(&lock, PTHREAD_RWLOCK_PREFER_WRITER_NP));
    pthread_rwlockattr_destroy(&lock);
    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    show("clock", pthread_condattr_setclock(&condition, 7));
    show("clock", pthread_condattr_setclock(&condition, CLOCK_MONOTONIC));
    pthread_condattr_destroy(&condition);
    pthread_barrier_t barrier;
    show("barrier", pthread_barrier_init(&barrier, NULL, 1u << 31));
    show("barrier", pthread_barrier_init(&barrier, NULL, 0));
    return 0;
}
