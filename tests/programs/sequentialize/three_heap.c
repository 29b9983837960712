// One thread frees what another one uses before, and a third one may use it: it takes the end of the memory, from one thread, or a value, from the other.
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug use-after-free message="k = 1"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int *volatile p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int volatile is_gone;

static void *writer(void *arg)
{
    pthread_mutex_lock(&m);
    if (!is_gone)
        *p = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *freer(void *arg)
{
    pthread_mutex_lock(&m);
    is_gone = 1;
    free(p);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg)
{
    pthread_mutex_lock(&m);
    int was_gone = is_gone;
    pthread_mutex_unlock(&m);
    if (!was_gone) {
        int value = *p; //~ BUG use-after-free
        assert(value != 2);
    }
    return arg;
}

int main(void)
{
    pthread_t w, f, r;
    p = malloc(sizeof *p);
    *p = 0;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&f, NULL, freer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(f, NULL);
    pthread_join(r, NULL);
    return 0;
}
