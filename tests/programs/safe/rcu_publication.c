// Read-copy-update in small: the writer builds a new version in private, publishes it with a release store,
// and frees the old one only after the reader is gone (the join is the grace period).
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int width, height;
};

static _Atomic(struct config *) current;

static struct config *make(int side)
{
    struct config *config = malloc(sizeof *config);
    if (config == NULL)
        abort();
    config->width = side;
    config->height = side;
    return config;
}

static void *read_config(void *arg)
{
    struct config *config = atomic_load_explicit(&current, memory_order_acquire);
    assert(config->width == config->height);
    return arg;
}

int main(void)
{
    pthread_t reader;
    atomic_init(&current, make(1));
    pthread_create(&reader, NULL, read_config, NULL);
    struct config *old = atomic_exchange_explicit(&current, make(2), memory_order_acq_rel);
    pthread_join(reader, NULL);
    free(old);
    free(atomic_load(&current));
    return 0;
}
