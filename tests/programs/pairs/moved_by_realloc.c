// What stands in a block that `realloc` has made is what stood in the old one, which depends on the order of the others: nobody writes the new block, but it is
// no constant.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *old, *moved;

static void *moves(void *unused) {
    pthread_mutex_lock(&lock);
    moved = realloc(old, 64);
    old = NULL;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reads(void *unused) {
    pthread_mutex_lock(&lock);
    int *found = moved;
    pthread_mutex_unlock(&lock);
    if (found) {
        int value = *found;
        assert(value != 2); //~ BUG assertion
    }
    return unused;
}

int main(void) {
    pthread_t t1, t2;
    old = calloc(1, sizeof *old);
    pthread_create(&t1, NULL, moves, NULL);
    pthread_create(&t2, NULL, reads, NULL);
    pthread_mutex_lock(&lock);
    if (old)
        *old = 2;
    pthread_mutex_unlock(&lock);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    free(moved);
    return 0;
}
