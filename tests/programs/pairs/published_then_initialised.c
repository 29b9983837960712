// A lock is initialised once more when its node is known to others already.
//@ check --races ignore: bug assertion lock-misuse
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int value;
};

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void publish(struct node *node) {
    pthread_mutex_lock(&list);
    head = node;
    pthread_mutex_unlock(&list);
}

static struct node *new_node(void) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        exit(1);
    node->value = 0;
    pthread_mutex_init(&node->lock, 0);
    return node;
}

static void *make(void *unused) {
    struct node *node = new_node();
    publish(node);
    pthread_mutex_init(&node->lock, 0);
    pthread_mutex_lock(&node->lock);
    node->value = 2;
    pthread_mutex_unlock(&node->lock);
    return unused;
}

static void *use(void *unused) {
    pthread_mutex_lock(&list);
    struct node *node = head;
    pthread_mutex_unlock(&list);
    if (node) {
        pthread_mutex_lock(&node->lock);
        node->value = 1;
        assert(node->value == 1); //~ BUG assertion
        pthread_mutex_unlock(&node->lock); //~ BUG lock-misuse
    }
    return unused;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, make, 0);
    pthread_create(&u, 0, use, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
