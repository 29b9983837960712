// A thread uses attributes, a set of processors or a text that another one may have freed. The argument says which function it calls: each reads or
// writes them, so that each order of use and free has its finding.
//@ check -- 0: bug data-race,use-after-free
//@ check -- 1: bug data-race,use-after-free
//@ check -- 2: bug data-race,use-after-free
//@ check -- 3: bug data-race,use-after-free
//@ check -- 4: bug data-race,use-after-free
//@ check -- 5: bug data-race,use-after-free
//@ check -- 6: bug data-race,use-after-free
//@ check -- 7: bug data-race,use-after-free
//@ check -- 8: bug data-race,use-after-free
//@ check -- 9: bug data-race,use-after-free
//@ check -- 10: bug data-race,use-after-free
//@ check -- 11: bug data-race,use-after-free
//@ check -- 12: bug data-race,use-after-free
//@ check -- 13: bug data-race,use-after-free
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <syslog.h>

static int number;
static void *shared;

static void *user(void *argument) {
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_barrier_t barrier;
    switch (number) {
    case 0: pthread_cond_init(&cond, shared); break;
    case 1: pthread_rwlock_init(&rwlock, shared); break;
    case 2: pthread_barrier_init(&barrier, shared, 1); break;
    case 3: pthread_attr_destroy(shared); break;
    case 4: pthread_attr_setguardsize(shared, 0); break;
    case 5: pthread_condattr_setclock(shared, 1); break;
    case 6: pthread_mutexattr_setpshared(shared, 1); break;
    case 7: pthread_rwlockattr_setkind_np(shared, 0); break;
    case 8: pthread_barrierattr_destroy(shared); break;
    case 9: pthread_setschedparam(pthread_self(), 0, shared); break;
    case 10: sched_setaffinity(0, 64, shared); break;
    case 11: setrlimit(RLIMIT_CORE, shared); break;
    case 12: prctl(PR_SET_NAME, shared); break;
    default: syslog(LOG_INFO, "%s", (char *)shared); break;
    }
    return argument;
}

int main(int argc, char **argv) {
    number = argc > 1 ? atoi(argv[1]) : 0;
    shared = calloc(1, 128);
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
    free(shared); //~ BUG use-after-free
    pthread_join(thread, NULL);
    return 0;
}
