#include "server.h"

#include <stdlib.h>
#include <string.h>

static void *write_lines(void *arg)
{
    struct server *server = arg;
    char line[LINE];
    for (;;) {
        pthread_mutex_lock(&server->lock);
        while (server->head == server->tail && !server->stopping)
            pthread_cond_wait(&server->not_empty, &server->lock); //~ BUG deadlock
        if (server->head == server->tail) {
            pthread_mutex_unlock(&server->lock);
            return NULL;
        }
        memcpy(line, server->lines[server->head % CAPACITY], LINE);
        server->head++;
        pthread_cond_signal(&server->not_full);
        pthread_mutex_unlock(&server->lock);
        fprintf(server->file, "%s\n", line);
    }
}

struct server *server_start(const char *file_name)
{
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL || (server->file = fopen(file_name, "w")) == NULL)
        abort();
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->not_empty, NULL);
    pthread_cond_init(&server->not_full, NULL);
    pthread_create(&server->writer, NULL, write_lines, server);
    return server;
}

void server_log(struct server *server, const char *format, int client, int number)
{
    char line[LINE];
    snprintf(line, sizeof line, format, client, number);
    pthread_mutex_lock(&server->lock);
    while (server->tail - server->head == CAPACITY)
        pthread_cond_wait(&server->not_full, &server->lock);
    strcpy(server->lines[server->tail % CAPACITY], line);
    server->tail++;
    pthread_cond_signal(&server->not_empty);
    pthread_mutex_unlock(&server->lock);
}

void server_stop(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
#ifndef FORGET_WAKEUP
    pthread_cond_signal(&server->not_empty);
#endif
    pthread_mutex_unlock(&server->lock);
    pthread_join(server->writer, NULL);
    fclose(server->file);
    pthread_cond_destroy(&server->not_full);
    pthread_cond_destroy(&server->not_empty);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
