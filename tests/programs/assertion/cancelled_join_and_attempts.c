// A thread is cancelled while it joins another, and its handler finds the mutex taken by the thread that it was joining, which has written last.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);

static pthread_t canceller, joiner, writer;
static atomic_int written;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int handled = -1;

static int attempt(void) {
    int status = pthread_mutex_trylock(&mutex);
    if (!status)
        pthread_mutex_unlock(&mutex);
    return status;
}

static void handler(void *unused) {
    (void)unused;
    handled = attempt();
    written = 4;
}

static void *join(void *unused) {
    pthread_cleanup_push(handler, NULL);
    pthread_join(canceller, NULL);
    pthread_cleanup_pop(0);
    return unused;
}

static void *cancel(void *unused) {
    (void)unused;
    pthread_cancel(joiner);
    written = 2;
    return (void *)(long)attempt();
}

static void *write(void *unused) {
    (void)unused;
    written = 3;
    return (void *)(long)attempt();
}

int main(void) {
    void *of_canceller = NULL, *of_writer;
    __VERIFIER_atomic_begin();
    pthread_create(&canceller, NULL, cancel, NULL);
    pthread_create(&joiner, NULL, join, NULL);
    pthread_create(&writer, NULL, write, NULL);
    __VERIFIER_atomic_end();
    pthread_join(writer, &of_writer);
    pthread_join(joiner, NULL);
    pthread_join(canceller, &of_canceller);
    assert(of_canceller || of_writer || handled == 0 || written != 2); //~ BUG assertion
    return 0;
}
