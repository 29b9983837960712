// A splay tree under one lock: every access brings the key that it found, or the last one on the way, to the root, so even lookups write. Two
// threads insert and look up keys of their own, and each checks the whole tree after every call.
// Two threads, fixed inputs, no bug; the paper (Farzan, Holzer, Razavi and Veith, 2013) found none either, but some branches are taken only after
// the other thread has changed the shape of the tree.
// Executions are the orders of the calls. Each thread makes M insertions and a lookup, which is (2M + 2)! / ((M + 1)! * (M + 1)!) orders.
//@ check --cflag=-DM=2: safe executions=20 blocked=0
//@ check --cflag=-DM=3: safe executions=70 blocked=0
//@ check --cflag=-DM=4: safe executions=252 blocked=0
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef M
#define M 3
#endif

struct node {
    int key;
    struct node *left, *right;
};

struct calls {
    int keys[4];
    struct node nodes[4];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static int n_nodes;

static struct node *turn_right(struct node *top)
{
    struct node *node = top->left;
    top->left = node->right;
    node->right = top;
    return node;
}

static struct node *turn_left(struct node *top)
{
    struct node *node = top->right;
    top->right = node->left;
    node->left = top;
    return node;
}

static struct node *splay(struct node *top, int key)
{
    if (!top || key == top->key)
        return top;
    if (key < top->key) {
        struct node *left = top->left;
        if (!left)
            return top;
        if (key < left->key && left->left) {
            left->left = splay(left->left, key);
            top = turn_right(top);
        } else if (key > left->key && left->right) {
            left->right = splay(left->right, key);
            top->left = turn_left(left);
        }
        return turn_right(top);
    }
    struct node *right = top->right;
    if (!right)
        return top;
    if (key > right->key && right->right) {
        right->right = splay(right->right, key);
        top = turn_left(top);
    } else if (key < right->key && right->left) {
        right->left = splay(right->left, key);
        top->right = turn_right(right);
    }
    return turn_left(top);
}

/// Counts nodes, whose keys are between those two.
static int count(const struct node *node, int above, int below)
{
    if (!node)
        return 0;
    assert(above < node->key && node->key < below);
    return 1 + count(node->left, above, node->key) + count(node->right, node->key, below);
}

/// Whether the key was there.
static bool insert(struct node *node, int key)
{
    pthread_mutex_lock(&lock);
    root = splay(root, key);
    bool found = root && root->key == key;
    if (!found) {
        *node = (struct node){key, root, NULL};
        if (root && root->key > key) {
            node->right = root;
            node->left = root->left;
            root->left = NULL;
        } else if (root) {
            node->right = root->right;
            root->right = NULL;
        }
        root = node;
        n_nodes++;
    }
    assert(count(root, INT_MIN, INT_MAX) == n_nodes);
    pthread_mutex_unlock(&lock);
    return found;
}

static void *use(void *arg)
{
    struct calls *calls = arg;
    for (int n = 0; n < M; n++)
        insert(&calls->nodes[n], calls->keys[n]);
    pthread_mutex_lock(&lock);
    root = splay(root, calls->keys[0]);
    assert(root->key == calls->keys[0]);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static struct calls first = {.keys = {10, 40, 20, 30}}, second = {.keys = {25, 10, 35, 5}};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, &first);
    pthread_create(&threads[1], NULL, use, &second);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
