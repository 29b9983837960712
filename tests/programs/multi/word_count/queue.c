#include "queue.h"

#include <stdlib.h>
#include <string.h>

void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    queue->first = queue->last = NULL;
    queue->closed = false;
}

void queue_put(struct queue *queue, const char *name)
{
    struct item *item = malloc(sizeof *item);
    if (item == NULL)
        abort();
    item->name = strdup(name);
    item->next = NULL;
    pthread_mutex_lock(&queue->lock);
    if (queue->last == NULL)
        queue->first = item;
    else
        queue->last->next = item;
    queue->last = item;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

char *queue_take(struct queue *queue)
{
    char *name = NULL;
    pthread_mutex_lock(&queue->lock);
    while (queue->first == NULL && !queue->closed)
        pthread_cond_wait(&queue->changed, &queue->lock);
    struct item *item = queue->first;
    if (item != NULL) {
        queue->first = item->next;
        if (queue->first == NULL)
            queue->last = NULL;
        name = item->name;
    }
    pthread_mutex_unlock(&queue->lock);
    free(item);
    return name;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void queue_destroy(struct queue *queue)
{
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}
