// Locks inside heap objects: two objects, two locks, the thread that holds one does not exclude the other.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct cell {
    pthread_mutex_t lock;
    int value;
};

static struct cell *make(void)
{
    struct cell *cell = malloc(sizeof *cell);
    if (cell == NULL)
        abort();
    pthread_mutex_init(&cell->lock, NULL);
    cell->value = 0;
    return cell;
}

static void *bump(void *arg)
{
    struct cell *cell = arg;
    pthread_mutex_lock(&cell->lock);
    cell->value++;
    pthread_mutex_unlock(&cell->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct cell *a = make(), *b = make();
    pthread_create(&thread, NULL, bump, a);
    bump(b);
    pthread_join(thread, NULL);
    assert(a->value == 1 && b->value == 1);
    pthread_mutex_destroy(&a->lock);
    pthread_mutex_destroy(&b->lock);
    free(a);
    free(b);
    return 0;
}
