// A download accelerator, like aget: workers fetch a part of the file each, and a thread that waits for the user's Ctrl-C saves how far they are,
// so that the download can be resumed. A worker adds a block to its own offset and then, under a lock, to the bytes of all; saving takes no lock.
// What is saved can contradict itself, and the resumed download loses or repeats a block. The paper (Farzan, Holzer, Razavi and Veith, 2013) found
// a bug in aget and does not say which.
// Three threads, two inputs: how much the network delivers at once. Needs one interference: an offset of which the total does not know yet.
//@ check: bug assertion executions=14
//@ check --cflag=-DFIXED: safe executions=6 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=4
//@ check --strategy interference --max-interferences 1: bug assertion executions=7
//@ check --cflag=-DFIXED --strategy interference: safe executions=6
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WORKERS = 2, PART = 100, MOST = 60 };

struct worker {
    int begin;
    atomic_int offset;
};

struct resume_file {
    int written, offsets[WORKERS];
};

static struct worker workers[WORKERS] = {{0, 0}, {PART, PART}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int written;

static void *fetch(void *arg)
{
    struct worker *worker = arg;
    int received = gordian_range(1, MOST, "received");
#ifdef FIXED
    pthread_mutex_lock(&lock);
    worker->offset += received;
#else
    worker->offset += received;
    pthread_mutex_lock(&lock);
#endif
    written += received;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *save(void *arg)
{
    struct resume_file file;
    int total = 0;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    file.written = written;
    for (int n = 0; n < WORKERS; n++)
        file.offsets[n] = workers[n].offset;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    for (int n = 0; n < WORKERS; n++)
        total += file.offsets[n] - workers[n].begin;
    assert(file.written == total); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t threads[WORKERS], saver;
    for (int n = 0; n < WORKERS; n++)
        pthread_create(&threads[n], NULL, fetch, &workers[n]);
    pthread_create(&saver, NULL, save, NULL);
    for (int n = 0; n < WORKERS; n++)
        pthread_join(threads[n], NULL);
    pthread_join(saver, NULL);
    return 0;
}
