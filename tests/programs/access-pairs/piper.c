// Pipes between writers and readers, each with a lock in it. A reader that was woken does not look again whether there is something: another may have taken
// it meanwhile (barging), and then it takes what is not there, and a writer waits forever.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug lost-signal
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2 // writers of a pipe, and as many readers
#endif


#define PIPES 1

struct pipe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
    int written;
};

static struct pipe *pipes[PIPES];

static void *write_pipe(void *number) {
    struct pipe *pipe = pipes[(long)number % PIPES];
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&pipe->lock);
        while (pipe->count == 1)
            pthread_cond_wait(&pipe->changed, &pipe->lock); //~ BUG lost-signal
        pipe->count = 1;
        pipe->written++;
        pthread_cond_broadcast(&pipe->changed);
        pthread_mutex_unlock(&pipe->lock);
    }
    return 0;
}

static void *read_pipe(void *number) {
    struct pipe *pipe = pipes[(long)number % PIPES];
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&pipe->lock);
        if (pipe->count == 0)
            pthread_cond_wait(&pipe->changed, &pipe->lock);
        pipe->count = 0;
        pthread_cond_broadcast(&pipe->changed);
        pthread_mutex_unlock(&pipe->lock);
    }
    return 0;
}

int main(void) {
    pthread_t threads[2 * N * PIPES];
    for (int i = 0; i < PIPES; i++) {
        pipes[i] = malloc(sizeof *pipes[i]);
        pthread_mutex_init(&pipes[i]->lock, 0);
        pthread_cond_init(&pipes[i]->changed, 0);
        pipes[i]->count = pipes[i]->written = 0;
    }
    for (long i = 0; i < N * PIPES; i++)
        pthread_create(&threads[i], 0, write_pipe, (void *)i);
    for (long i = 0; i < N * PIPES; i++)
        pthread_create(&threads[N * PIPES + i], 0, read_pipe, (void *)i);
    for (int i = 0; i < 2 * N * PIPES; i++)
        pthread_join(threads[i], 0);
    return 0;
}
