// Two producers and two consumers on a buffer of two places, for sampling: condition variables and heap objects.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { PLACES = 2, ITEMS = 4 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int *buffer[PLACES];
static int used;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        int *item = malloc(sizeof *item);
        *item = i;
        pthread_mutex_lock(&mutex);
        while (used == PLACES)
            pthread_cond_wait(&not_full, &mutex);
        buffer[used++] = item;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        while (used == 0)
            pthread_cond_wait(&not_empty, &mutex);
        int *item = buffer[--used];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
        assert(*item >= 0 && *item < ITEMS);
        free(item);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, i % 2 ? consume : produce, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return used;
}
