// Two tasks signal events to each other in turn. Whether an event has happened is looked at without its lock, so a signal can come
// between the look and the wait.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug lost-signal
#include <pthread.h>

#ifndef N
#define N 2 // rounds
#endif


struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
};

static struct event first = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static struct event second = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void await(struct event *event, int seen) {
    if (event->count == seen) {
        pthread_mutex_lock(&event->lock);
        pthread_cond_wait(&event->changed, &event->lock); //~ BUG lost-signal
        pthread_mutex_unlock(&event->lock);
    }
}

static void signal_event(struct event *event) {
    pthread_mutex_lock(&event->lock);
    event->count++;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

static void *task1(void *unused) {
    for (int i = 0; i < N; i++) {
        signal_event(&first);
        await(&second, i);
    }
    return unused;
}

static void *task2(void *unused) {
    for (int i = 0; i < N; i++) {
        await(&first, i);
        signal_event(&second);
    }
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, task1, 0);
    pthread_create(&t2, 0, task2, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
