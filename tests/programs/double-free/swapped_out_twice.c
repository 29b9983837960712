// One thread frees what it finds in the box and then empties it, the other frees what it swaps out: the same object twice. The thread that is
// about to read the freed object must stop before it does: what it did until then does not depend on the free.
//@ check --races ignore: bug double-free,use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *empty(void *arg)
{
    int *found = box;
    if (found) {
        free(found); //~ BUG double-free
        box = NULL;
    }
    return arg;
}

static void *fill(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int *mine = malloc(sizeof *mine);
        *mine = 1;
        mine = atomic_exchange(&box, mine);
        if (mine) {
            (*mine)++; //~ BUG use-after-free
            free(mine);
        }
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, empty, NULL);
    pthread_create(&b, NULL, fill, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
