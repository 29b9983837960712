// A hash set with one lock for each stripe: insertions into one bucket exclude each other, and a duplicate is found.
//@ check --strategy exhaustive --leaks: safe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { STRIPES = 2 };

struct node {
    int key;
    struct node *next;
};

static struct {
    pthread_mutex_t lock;
    struct node *first;
} stripes[STRIPES] = {{PTHREAD_MUTEX_INITIALIZER, NULL}, {PTHREAD_MUTEX_INITIALIZER, NULL}};

static bool insert(int key)
{
    int stripe = key % STRIPES;
    bool found = false;
    pthread_mutex_lock(&stripes[stripe].lock);
    for (struct node *node = stripes[stripe].first; node != NULL && !found; node = node->next)
        found = node->key == key;
    if (!found) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            abort();
        node->key = key;
        node->next = stripes[stripe].first;
        stripes[stripe].first = node;
    }
    pthread_mutex_unlock(&stripes[stripe].lock);
    return !found;
}

static void *insert_three(void *arg)
{
    (void)arg;
    return (void *)(intptr_t)insert(3);
}

int main(void)
{
    pthread_t thread;
    void *other;
    pthread_create(&thread, NULL, insert_three, NULL);
    bool mine = insert(3);
    bool even = insert(4);
    pthread_join(thread, &other);
    assert(mine + (int)(intptr_t)other == 1 && even);
    for (int i = 0; i < STRIPES; i++) {
        while (stripes[i].first != NULL) {
            struct node *node = stripes[i].first;
            stripes[i].first = node->next;
            free(node);
        }
    }
    return 0;
}
