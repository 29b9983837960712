// A list is freed while it is walked: the next pointer is read from the freed node.
//@ check --strategy exhaustive: bug use-after-free
#include <stdlib.h>

struct node {
    struct node *next;
};

static struct node *prepend(struct node *list)
{
    struct node *node = malloc(sizeof *node);
    if (node != NULL)
        node->next = list;
    return node;
}

int main(void)
{
    struct node *list = prepend(prepend(NULL));
    for (struct node *node = list; node != NULL; node = node->next) //~ BUG use-after-free
        free(node);
    return 0;
}
