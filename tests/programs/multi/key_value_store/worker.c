#include "worker.h"

#include <stdlib.h>
#include <string.h>

static struct command *receive(struct worker *worker)
{
    sem_wait(&worker->pending);
    pthread_mutex_lock(&worker->lock);
    struct command *command = worker->first;
    worker->first = command->next;
    if (worker->first == NULL)
        worker->last = &worker->first;
    pthread_mutex_unlock(&worker->lock);
    return command;
}

static void *run(void *arg)
{
    struct worker *worker = arg;
    for (;;) {
        struct command *command = receive(worker);
        char verb = command->verb;
        if (verb == 's')
            table_set(&worker->table, command->key, command->value);
        else if (verb == 'a')
            table_add(&worker->table, command->key, command->value);
        else if (verb == 'd')
            table_delete(&worker->table, command->key);
        free(command);
        if (verb == 'q')
            return NULL;
    }
}

void worker_start(struct worker *worker)
{
    memset(&worker->table, 0, sizeof worker->table);
    worker->first = NULL;
    worker->last = &worker->first;
    pthread_mutex_init(&worker->lock, NULL);
    sem_init(&worker->pending, 0, 0);
    pthread_create(&worker->thread, NULL, run, worker);
}

void worker_send(struct worker *worker, char verb, const char *key, int value)
{
    struct command *command = calloc(1, sizeof *command);
    if (command == NULL)
        abort();
    command->verb = verb;
    strncpy(command->key, key, sizeof command->key - 1);
    command->value = value;
    pthread_mutex_lock(&worker->lock);
    *worker->last = command;
    worker->last = &command->next;
    pthread_mutex_unlock(&worker->lock);
    sem_post(&worker->pending);
}

void worker_stop(struct worker *worker)
{
    worker_send(worker, 'q', "", 0);
    pthread_join(worker->thread, NULL);
    sem_destroy(&worker->pending);
    pthread_mutex_destroy(&worker->lock);
}
