// Both threads make nodes, each with a lock of its own, and initialise it before others know the node. So the lock protects the node.
//@ check: safe
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
    pthread_mutex_t lock;
    struct node *next;
    int value;
};

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void set_up(struct node *node, int value) {
    memset(node, 0, sizeof *node);
    pthread_mutex_init(&node->lock, 0);
    node->value = value;
}

static struct node *new_node(int value) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    set_up(node, value);
    return node;
}

static void *run(void *unused) {
    struct node *mine = new_node(1);
    if (!mine)
        return 0;
    mine->value++;
    pthread_mutex_lock(&list);
    mine->next = head;
    head = mine;
    struct node *other = mine->next;
    pthread_mutex_unlock(&list);
    if (other) {
        pthread_mutex_lock(&other->lock);
        other->value++;
        pthread_mutex_unlock(&other->lock);
    }
    pthread_mutex_lock(&mine->lock);
    mine->value++;
    pthread_mutex_unlock(&mine->lock);
    return unused;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
