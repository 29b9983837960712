#include "program.h"

#include "server.h"

#include <assert.h>
#include <stdint.h>

enum { CLIENTS = 2, LINES = 2 };

static const char *const file_name = "/tmp/gordian-log-server.txt";
static struct server *server;

static void *client(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < LINES; i++)
        server_log(server, "client %d line %d", me, i);
    return NULL;
}

static void check_file(void)
{
    int next[CLIENTS] = {0}, who, number;
    FILE *file = fopen(file_name, "r");
    assert(file != NULL);
    while (fscanf(file, "client %d line %d\n", &who, &number) == 2) {
        assert(who >= 0 && who < CLIENTS);
        assert(number == next[who]);
        next[who]++;
    }
    fclose(file);
    for (int i = 0; i < CLIENTS; i++)
        assert(next[i] == LINES);
}

int log_program(void)
{
    pthread_t clients[CLIENTS];
    server = server_start(file_name);
    for (intptr_t i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, client, (void *)i);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    server_stop(server);
    check_file();
    remove(file_name);
    return 0;
}
