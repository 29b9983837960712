// A robust mutex that was moved while it was held: who ends holding it does not know where it is now.
//@ check --races ignore: inconclusive message="a robust mutex that was copied or moved while it was held"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct s { pthread_mutex_t m; int x; } *p;

static void *moves(void *argument) {
    pthread_mutex_lock(&p->m);
    p = realloc(p, 200);
    return argument;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    p = malloc(sizeof *p);
    pthread_mutex_init(&p->m, &attributes);
    struct s *old = p;
    pthread_t thread;
    pthread_create(&thread, 0, moves, 0);
    while (*(struct s *volatile *)&p == old) {}
    assert(pthread_mutex_trylock(&p->m) != 16);
    pthread_join(thread, 0);
}
