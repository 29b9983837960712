// The walker gives the lock back between two steps and keeps a pointer to a node that the other thread removes and frees.
//@ check --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;

static void *remove_first(void *arg)
{
    pthread_mutex_lock(&lock);
    struct node *first = head;
    head = first->next;
    free(first);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    head = calloc(1, sizeof *head);
    if (head == NULL)
        return 1;
    pthread_create(&thread, NULL, remove_first, NULL);
    pthread_mutex_lock(&lock);
    struct node *current = head;
    pthread_mutex_unlock(&lock);
    if (current != NULL) {
        pthread_mutex_lock(&lock);
        current = current->next; //~ BUG use-after-free
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return 0;
}
