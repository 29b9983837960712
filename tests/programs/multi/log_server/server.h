#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { CAPACITY = 2, LINE = 24 };

struct server {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    char lines[CAPACITY][LINE];
    unsigned head, tail;
    bool stopping;
    FILE *file;
    pthread_t writer;
};

struct server *server_start(const char *file_name);
void server_log(struct server *server, const char *format, int client, int number);
/* Waits until everything logged before is in the file, closes it and frees the server. */
void server_stop(struct server *server);

#endif
