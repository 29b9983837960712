// Double-checked locking done right: acquire load outside, release store inside the lock.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;

static int *get(void)
{
    int *p = atomic_load_explicit(&instance, memory_order_acquire);
    if (p == NULL) {
        pthread_mutex_lock(&lock);
        p = atomic_load_explicit(&instance, memory_order_relaxed);
        if (p == NULL) {
            p = malloc(sizeof *p);
            if (p == NULL)
                abort();
            *p = 11;
            atomic_store_explicit(&instance, p, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return p;
}

static void *use(void *arg)
{
    assert(*get() == 11);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    free(atomic_load(&instance));
    return 0;
}
