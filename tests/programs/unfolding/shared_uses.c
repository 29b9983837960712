// Two threads hold a lock for reading at the same time, and two post a semaphore. Such steps commute, but who holds the lock and how many units there are is part of a state: a search
// over states must not take two of them for one. With TORN a reader gives the lock back between two reads of what the writer changes together; with SHORT one unit too few is posted.
//@ check --races ignore: safe
//@ check --races ignore --strategy unfold: safe
//@ check --races ignore --strategy contextual: safe
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
//@ check --races ignore --cflag=-DTORN: bug assertion
//@ check --races ignore --cflag=-DTORN --strategy unfold: bug assertion
//@ check --races ignore --cflag=-DTORN --strategy contextual: bug assertion
//@ check --races ignore --cflag=-DTORN --strategy stateful: bug assertion
//@ check --races ignore --cflag=-DTORN --strategy stateful-naive: bug assertion
//@ check --races ignore --cflag=-DSHORT: bug deadlock
//@ check --races ignore --cflag=-DSHORT --strategy unfold: bug deadlock
//@ check --races ignore --cflag=-DSHORT --strategy contextual: bug deadlock
//@ check --races ignore --cflag=-DSHORT --strategy stateful: bug deadlock
//@ check --races ignore --cflag=-DSHORT --strategy stateful-naive: bug deadlock
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t done;
static int first, second;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    int a = first;
#ifdef TORN
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
#endif
    int b = second;
    pthread_rwlock_unlock(&lock);
    assert(a == b); //~ BUG assertion
#ifdef SHORT
    if (arg)
        return 0;
#endif
    sem_post(&done);
    return arg;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    first = 1;
    second = 1;
    pthread_rwlock_unlock(&lock);
    sem_wait(&done);
    sem_wait(&done);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    sem_init(&done, 0, 0);
    pthread_create(&threads[0], 0, reader, 0);
    pthread_create(&threads[1], 0, reader, (void *)1);
    pthread_create(&threads[2], 0, writer, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
