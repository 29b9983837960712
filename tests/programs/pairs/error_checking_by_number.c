// The kind of the first mutex is computed, that of the second is copied from a prototype: both refuse to be taken twice, so one release sets them free.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct guarded {
    long id;
    pthread_mutex_t m;
};

static pthread_mutex_t computed = PTHREAD_MUTEX_INITIALIZER;
static struct guarded *copied;
static int x, y;

static void *adds(void *unused) {
    pthread_mutex_lock(&computed);
    pthread_mutex_lock(&computed);
    pthread_mutex_unlock(&computed);
    x++; //~ BUG data-race
    pthread_mutex_lock(&copied->m);
    pthread_mutex_lock(&copied->m);
    pthread_mutex_unlock(&copied->m);
    y++; //~ BUG data-race
    return unused;
}

int main(int argc, char **argv) {
    pthread_t t;
    computed.__data.__kind = argc + 1;
    struct guarded *prototype = calloc(1, sizeof *prototype);
    prototype->m.__data.__kind = PTHREAD_MUTEX_ERRORCHECK;
    copied = malloc(sizeof *copied);
    memcpy(copied, prototype, sizeof *copied);
    pthread_create(&t, NULL, adds, NULL);
    adds(NULL);
    pthread_join(t, NULL);
    free(prototype);
    free(copied);
    return 0;
}
