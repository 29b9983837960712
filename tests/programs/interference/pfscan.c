// A parallel file scanner, like pfscan: main puts files into a queue, workers take them out and count the places where a letter stands, and main
// prints the result once the queue is empty and no worker is active. A worker says that it is done before it has added what it found.
// WORKERS threads and main, one input: the letter. Needs four interferences: the worker reads the length of the queue and the file that main put
// there, and main reads the length and the number of active workers. The paper (Farzan, Holzer, Razavi and Veith, 2013) met its assertion at four
// as well, but does not say what is asserted.
//@ check --cflag=-DWORKERS=1: bug assertion executions=24 blocked=0
//@ check --cflag=-DWORKERS=2: bug assertion executions=540
//@ check --cflag=-DWORKERS=1 --cflag=-DFIXED: safe executions=12 blocked=0
//@ check --cflag=-DWORKERS=2 --cflag=-DFIXED: safe executions=324 blocked=0
//@ check --cflag=-DWORKERS=1 --strategy interference --max-interferences 3: bounded executions=10
//@ check --cflag=-DWORKERS=1 --strategy interference --max-interferences 4: bug assertion executions=18
//@ check --cflag=-DWORKERS=2 --strategy interference --max-interferences 3: bounded executions=18
//@ check --cflag=-DWORKERS=2 --strategy interference --max-interferences 4: bug assertion executions=28
//@ check --cflag=-DWORKERS=1 --cflag=-DFIXED --strategy interference: bounded executions=28
//@ check --cflag=-DWORKERS=2 --cflag=-DFIXED --strategy interference: bounded executions=55
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FILES
#define FILES 1
#endif
enum { ROOM = 2 };

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t more, idle;
    int length, first, active;
    bool closed;
    const char *files[ROOM];
};

static struct queue queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .more = PTHREAD_COND_INITIALIZER,
    .idle = PTHREAD_COND_INITIALIZER,
};
static pthread_mutex_t result = PTHREAD_MUTEX_INITIALIZER;
static const char *const files[] = {"ab", "bc"};
static int n_matches;
static char letter;

static int scan(const char *file)
{
    int n = 0;
    for (; *file; file++)
        n += *file == letter;
    return n;
}

static void put(const char *file)
{
    pthread_mutex_lock(&queue.lock);
    queue.files[(queue.first + queue.length) % ROOM] = file;
    queue.length++;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

/// The next file, for which the worker is active from now on, or NULL when no more will come.
static const char *get(void)
{
    const char *file = NULL;
    int length;
    pthread_mutex_lock(&queue.lock);
    while ((length = queue.length) == 0 && !queue.closed)
        pthread_cond_wait(&queue.more, &queue.lock);
    if (length > 0) {
        file = queue.files[queue.first];
        queue.first = (queue.first + 1) % ROOM;
        queue.length = length - 1;
        queue.active++;
    }
    pthread_mutex_unlock(&queue.lock);
    return file;
}

static void done(void)
{
    pthread_mutex_lock(&queue.lock);
    if (--queue.active == 0)
        pthread_cond_signal(&queue.idle);
    pthread_mutex_unlock(&queue.lock);
}

static void found(int n)
{
    pthread_mutex_lock(&result);
    n_matches += n;
    pthread_mutex_unlock(&result);
}

static void *work(void *arg)
{
    for (const char *file; (file = get());) {
        int n = scan(file);
#ifdef FIXED
        found(n);
        done();
#else
        done();
        found(n);
#endif
    }
    return arg;
}

static void finish(void)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.length > 0 || queue.active > 0)
        pthread_cond_wait(&queue.idle, &queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

int main(void)
{
    pthread_t workers[WORKERS];
    int expected = 0;
    letter = gordian_char("letter");
    for (int n = 0; n < WORKERS; n++)
        pthread_create(&workers[n], NULL, work, NULL);
    for (int n = 0; n < FILES; n++) {
        put(files[n]);
        expected += scan(files[n]);
    }
    finish();
    pthread_mutex_lock(&result);
    assert(n_matches == expected); //~ BUG assertion
    pthread_mutex_unlock(&result);
    for (int n = 0; n < WORKERS; n++)
        pthread_join(workers[n], NULL);
    return 0;
}
