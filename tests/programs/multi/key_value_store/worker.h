#ifndef WORKER_H
#define WORKER_H

#include "table.h"

#include <pthread.h>
#include <semaphore.h>

struct command {
    char verb;
    char key[8];
    int value;
    struct command *next;
};

struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    sem_t pending;
    struct command *first, **last;
    struct table table;
};

void worker_start(struct worker *worker);
void worker_send(struct worker *worker, char verb, const char *key, int value);
/* All commands sent before are done when this returns. */
void worker_stop(struct worker *worker);

#endif
