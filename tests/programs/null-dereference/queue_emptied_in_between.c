// "Not empty" is asked in one critical section and relied on in the next: another consumer was faster.
//@ check --strategy exhaustive: bug null-dereference
//@ check --strategy random --runs 300: bug null-dereference
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node only = {NULL, 1};
static struct node *head = &only;

static bool is_empty(void)
{
    pthread_mutex_lock(&lock);
    bool empty = head == NULL;
    pthread_mutex_unlock(&lock);
    return empty;
}

static int pop(void)
{
    pthread_mutex_lock(&lock);
    struct node *node = head;
    int value = node->value; //~ BUG null-dereference
    head = node->next;
    pthread_mutex_unlock(&lock);
    return value;
}

static void *consume(void *arg)
{
    if (!is_empty())
        pop();
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, consume, NULL);
    consume(NULL);
    pthread_join(thread, NULL);
    return 0;
}
