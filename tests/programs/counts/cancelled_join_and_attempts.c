// Main is cancelled while it joins. The two writes come in 2 orders, and the attempts to lock in 4: one after the other, or one fails while the other holds the
// mutex. Main is cancelled before or after the end of the thread that it waits for: 2. That is 16.
// An attempt that fails is the last operation of its thread, so its step ends the thread; one that succeeds does not.
//@ check --races ignore: safe executions=16
//@ check --races ignore --strategy dpor-classic: safe executions=16
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void attempt(void) {
    if (!pthread_mutex_trylock(&mutex))
        pthread_mutex_unlock(&mutex);
}

static void *cancel(void *joiner) {
    pthread_cancel(*(pthread_t *)joiner);
    written = 2;
    attempt();
    return NULL;
}

static void *write(void *unused) {
    written = 3;
    attempt();
    return unused;
}

int main(void) {
    static pthread_t self, first, second;
    self = pthread_self();
    pthread_create(&first, NULL, cancel, &self);
    pthread_create(&second, NULL, write, NULL);
    pthread_join(first, NULL);
    return 0;
}
