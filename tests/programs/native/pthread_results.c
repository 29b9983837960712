// What functions of pthreads say of values that do not fit.
//@ native
//@ check: safe
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void)
{
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &key);
    printf("%d", pthread_key_delete(key));
    printf(" %d", pthread_key_delete(key));
    printf(" %d\n", pthread_setspecific(key, &key));

    pthread_mutexattr_t mutex;
    pthread_mutexattr_init(&mutex);
    printf("%d", pthread_mutexattr_settype(&mutex, 99));
    printf(" %d", pthread_mutexattr_settype(&mutex, -1));
    printf(" %d", pthread_mutexattr_setprotocol(&mutex, 9));
    printf(" %d\n", pthread_mutexattr_setpshared(&mutex, 9));

    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    printf("%d", pthread_condattr_setclock(&condition, 9));
    printf(" %d", pthread_condattr_setclock(&condition, CLOCK_MONOTONIC));
    printf(" %d\n", pthread_condattr_setpshared(&condition, 9));

    pthread_attr_t thread;
    size_t size;
    pthread_attr_init(&thread);
    printf("%d", pthread_attr_setdetachstate(&thread, 7));
    printf(" %d", pthread_attr_setstacksize(&thread, 10));
    printf(" %d", pthread_attr_setstacksize(&thread, 65536));
    pthread_attr_getstacksize(&thread, &size);
    printf(" %zu", size);
    printf(" %d", pthread_attr_setschedpolicy(&thread, 77));
    printf(" %d\n", pthread_attr_setinheritsched(&thread, 77));

    printf("%d", pthread_setname_np(pthread_self(), "0123456789abcdef"));
    printf(" %d", pthread_setname_np(pthread_self(), "0123456789abcde"));
    printf(" %d", pthread_setcancelstate(9, NULL));
    printf(" %d\n", pthread_setcanceltype(9, NULL));
    return 0;
}
