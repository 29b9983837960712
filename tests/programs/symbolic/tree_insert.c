// N unknown keys are put into a binary search tree that holds each key once. Before the next key comes, K different ones are in the tree;
// the new one can be any of these or fall into one of K + 1 gaps. So paths are the weak orders of N keys: 1, 3, 13, 75, 541, 4683 (Fubini
// numbers). With TWICE equal keys go to the right like greater ones, and there is nothing but the gaps: N! paths.
//@ check --cflag=-DN=2: safe executions=3 blocked=0
//@ check --cflag=-DN=4: safe executions=75 blocked=0
//@ check --cflag=-DN=5: safe executions=541 blocked=0
//@ check --cflag=-DN=4 --cflag=-DTWICE: safe executions=24 blocked=0
//@ check --cflag=-DN=6 --cflag=-DTWICE: safe executions=720 blocked=0
#include <assert.h>
#include <gordian.h>
#include <stdlib.h>

#ifndef N
#define N 4
#endif

struct node {
    int key;
    struct node *left, *right;
};

static int insert(struct node **place, int key)
{
    while (*place) {
        struct node *node = *place;
#ifndef TWICE
        if (key == node->key)
            return 0;
#endif
        place = key < node->key ? &node->left : &node->right;
    }
    *place = malloc(sizeof **place);
    if (!*place)
        abort();
    (*place)->key = key;
    (*place)->left = (*place)->right = NULL;
    return 1;
}

/// Counts nodes; those to the left are not greater than those to the right.
static int count(const struct node *node, const struct node **last)
{
    if (!node)
        return 0;
    int n = count(node->left, last);
    assert(!*last || (*last)->key <= node->key);
    *last = node;
    return n + 1 + count(node->right, last);
}

static void drop(struct node *node)
{
    if (!node)
        return;
    drop(node->left);
    drop(node->right);
    free(node);
}

int main(void)
{
    struct node *root = NULL;
    const struct node *last = NULL;
    int inserted = 0;
    for (int i = 0; i < N; i++)
        inserted += insert(&root, gordian_int("key"));
    assert(count(root, &last) == inserted);
    drop(root);
    return 0;
}
