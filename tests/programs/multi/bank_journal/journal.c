#include "journal.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;

void journal_open(const char *file_name)
{
    file = fopen(file_name, "w");
    if (file == NULL)
        abort();
}

void journal_write(int from, int to, int amount)
{
    pthread_mutex_lock(&lock);
    fprintf(file, "%d %d %d\n", from, to, amount);
    pthread_mutex_unlock(&lock);
}

void journal_close(void)
{
    fclose(file);
}

int journal_replay(const char *file_name, void (*apply)(int from, int to, int amount))
{
    int from, to, amount, n = 0;
    FILE *in = fopen(file_name, "r");
    if (in == NULL)
        abort();
    while (fscanf(in, "%d %d %d", &from, &to, &amount) == 3) {
        apply(from, to, amount);
        n++;
    }
    fclose(in);
    return n;
}
