// A red-black tree under one lock, into which two threads put keys; each checks the whole tree after every call.
// Two threads, fixed inputs, no bug; the paper (Farzan, Holzer, Razavi and Veith, 2013) found none either, but with three keys for each thread
// nothing is turned if one runs after the other, whichever is first.
// Executions are the orders of the calls. Each thread makes M insertions, which is (2M)! / (M! * M!) orders.
//@ check --cflag=-DM=2: safe executions=6 blocked=0
//@ check --cflag=-DM=3: safe executions=20 blocked=0
//@ check --cflag=-DM=4: safe executions=70 blocked=0
//@ check --cflag=-DM=2 --strategy interference: safe executions=287
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
    bool red;
    struct node *parent, *side[2];
};

struct calls {
    int keys[4];
    struct node nodes[4];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static int n_nodes;

static bool is_red(const struct node *node)
{
    return node && node->red;
}

/// Lets the child on the other side take the place of `top`, which moves down to `to`.
static void turn(struct node *top, int to)
{
    struct node *node = top->side[!to], *parent = top->parent, *between = node->side[to];
    top->side[!to] = between;
    if (between)
        between->parent = top;
    node->side[to] = top;
    top->parent = node;
    node->parent = parent;
    if (!parent)
        root = node;
    else
        parent->side[parent->side[1] == top] = node;
}

/// No red node has a red parent afterwards. The root is black, so a red parent has a parent.
static void repair(struct node *node)
{
    while (is_red(node->parent)) {
        struct node *parent = node->parent, *above = parent->parent;
        int at = above->side[1] == parent;
        struct node *uncle = above->side[!at];
        if (is_red(uncle)) {
            parent->red = uncle->red = false;
            above->red = true;
            node = above;
            continue;
        }
        if (parent->side[!at] == node) {
            turn(parent, at);
            parent = node;
        }
        parent->red = false;
        above->red = true;
        turn(above, !at);
        break;
    }
    root->red = false;
}

/// Black nodes on each way down. Counts nodes, whose keys are between those two.
static int height(const struct node *node, int above, int below, int *n)
{
    if (!node)
        return 0;
    assert(above < node->key && node->key < below);
    assert(!node->red || (!is_red(node->side[0]) && !is_red(node->side[1])));
    ++*n;
    int left = height(node->side[0], above, node->key, n), right = height(node->side[1], node->key, below, n);
    assert(left == right);
    return left + !node->red;
}

static void insert(struct node *node, int key)
{
    int n = 0;
    pthread_mutex_lock(&lock);
    struct node **place = &root, *parent = NULL;
    while (*place && (*place)->key != key) {
        parent = *place;
        place = &parent->side[key > parent->key];
    }
    if (!*place) {
        *node = (struct node){key, true, parent, {NULL, NULL}};
        *place = node;
        n_nodes++;
        repair(node);
    }
    height(root, INT_MIN, INT_MAX, &n);
    assert(n == n_nodes);
    pthread_mutex_unlock(&lock);
}

static void *use(void *arg)
{
    struct calls *calls = arg;
    for (int n = 0; n < M; n++)
        insert(&calls->nodes[n], calls->keys[n]);
    return NULL;
}

int main(void)
{
    static struct calls first = {.keys = {60, 70, 40, 30}}, second = {.keys = {50, 70, 20, 80}};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, use, &first);
    pthread_create(&threads[1], NULL, use, &second);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
