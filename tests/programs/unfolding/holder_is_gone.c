// Deadlocks by one lock, which nobody takes while holding another: by default its holder ends with it, with BEFORE main takes it before there are threads and waits for one of them, with BETWEEN main does
// that when it is alone again. No step of main's takes the lock then. The question for deadlocks must not be ruled out for any of them.
//@ check --races ignore: bug deadlock
//@ check --races ignore --strategy unfold: bug deadlock
//@ check --races ignore --strategy contextual: bug deadlock
//@ check --races ignore --strategy stateful: bug deadlock
//@ check --races ignore --cflag=-DBEFORE: bug deadlock
//@ check --races ignore --strategy unfold --cflag=-DBEFORE: bug deadlock
//@ check --races ignore --strategy contextual --cflag=-DBEFORE: bug deadlock
//@ check --races ignore --strategy stateful --cflag=-DBEFORE: bug deadlock
//@ check --races ignore --cflag=-DBETWEEN: bug deadlock
//@ check --races ignore --strategy unfold --cflag=-DBETWEEN: bug deadlock
//@ check --races ignore --strategy contextual --cflag=-DBETWEEN: bug deadlock
//@ check --races ignore --strategy stateful --cflag=-DBETWEEN: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *takes(void *arg)
{
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *keeps(void *arg)
{
#if !defined BEFORE && !defined BETWEEN
    pthread_mutex_lock(&lock);
#endif
    shared++;
    return arg;
}

int main(void)
{
    pthread_t first, second;
#ifdef BEFORE
    pthread_mutex_lock(&lock);
#endif
    pthread_create(&first, NULL, keeps, NULL);
#ifdef BETWEEN
    pthread_join(first, NULL);
    pthread_mutex_lock(&lock);
#endif
    pthread_create(&second, NULL, takes, NULL);
#ifndef BETWEEN
    pthread_join(first, NULL);
#endif
    pthread_join(second, NULL);
    return 0;
}
