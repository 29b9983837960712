// What an allocation writes is not known to who gets the pointer by a relaxed load: the zeros of `calloc`, what `realloc` moves, a struct that was
// passed by value.
//@ check: bug data-race
//@ check --cflag=-DREALLOC: bug data-race
//@ check --cflag=-DBYVAL: bug data-race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct large {
    char at[64];
};

static _Atomic(char *) published;
static atomic_int looked;

static void publish(char *place)
{
    atomic_store_explicit(&published, place, memory_order_relaxed);
}

__attribute__((noinline)) static void publish_copy(struct large large)
{
    publish(large.at);
    while (!atomic_load_explicit(&looked, memory_order_relaxed)) {
    }
}

static void *worker(void *arg)
{
#if defined BYVAL
    struct large large = {{1}};
    publish_copy(large);
#elif defined REALLOC
    publish(realloc(arg, 64));
#else
    publish(calloc(1, 64));
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    char *place = malloc(8);
    place[0] = 1;
    pthread_create(&thread, NULL, worker, place);
    char *found = atomic_load_explicit(&published, memory_order_relaxed);
    int first = found ? found[0] : 0; //~ BUG data-race
    atomic_store_explicit(&looked, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    return first & 0;
}
