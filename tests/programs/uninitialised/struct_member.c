// The constructor forgets a member; it is used as an index later.
//@ check --strategy exhaustive --uninit: bug uninitialised
#include <stdlib.h>

struct ring {
    int slots[4];
    unsigned head, tail;
};

static struct ring *make(void)
{
    struct ring *ring = malloc(sizeof *ring);
    if (ring == NULL)
        abort();
    for (int i = 0; i < 4; i++)
        ring->slots[i] = 0;
    ring->head = 0;
    return ring;
}

int main(void)
{
    struct ring *ring = make();
    int is_empty = 0;
    if (ring->head == ring->tail) //~ BUG uninitialised
        is_empty = 1;
    free(ring);
    return is_empty > 1;
}
