// Two owners of one pointer, both free it.
//@ check --strategy exhaustive: bug double-free
#include <stdlib.h>

struct holder {
    char *text;
};

static void destroy(struct holder *holder)
{
    free(holder->text); //~ BUG double-free
}

int main(void)
{
    struct holder a = {malloc(3)};
    struct holder b = a;
    destroy(&a);
    destroy(&b);
    return 0;
}
