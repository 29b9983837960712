// A waiter, and a signal that is sent only if somebody has asked for it. If nobody has, all threads are blocked; if the signal comes before the wait, it is
// lost. Threads stand at the same places in both cases, and they are two findings.
//@ check --races ignore: bug deadlock,lost-signal
//@ check --races ignore --strategy unfold: bug deadlock,lost-signal
//@ check --races ignore --strategy contextual: bug deadlock,lost-signal
//@ check --races ignore --strategy stateful: bug deadlock,lost-signal
//@ check --races ignore --strategy stateful-naive: bug deadlock,lost-signal
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int asked;

static void *waits(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex); //~ BUG lost-signal
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *signals(void *arg)
{
    if (asked)
        pthread_cond_signal(&condition);
    return arg;
}

static void *asks(void *arg)
{
    asked = 1;
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, signals, 0);
    pthread_create(&threads[2], 0, asks, 0);
    for (int i = 2; i >= 0; i--)
        pthread_join(threads[i], 0);
    return 0;
}
