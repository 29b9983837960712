#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>
#include <stdbool.h>

struct item {
    char *name;
    struct item *next;
};

/* Closed and empty is the end: `take` returns NULL then, for every caller. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct item *first, *last;
    bool closed;
};

void queue_init(struct queue *queue);
void queue_put(struct queue *queue, const char *name);
char *queue_take(struct queue *queue);
void queue_close(struct queue *queue);
void queue_destroy(struct queue *queue);

#endif
