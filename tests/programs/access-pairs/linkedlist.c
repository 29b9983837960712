// Two threads append to a list without a lock: one of two nodes that go to the same place gets lost.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2 // nodes of each thread
#endif


struct node {
    int value;
    struct node *next;
};

static struct node head;

static void append(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = 0;
    struct node *last = &head;
    while (last->next != 0)
        last = last->next;
    last->next = node;
}

static void *builder(void *from) {
    for (int i = 0; i < N; i++)
        append((int)(long)from + i);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, builder, (void *)0);
    pthread_create(&t2, 0, builder, (void *)100);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    int n = 0;
    for (struct node *node = head.next; node != 0; node = node->next)
        n++;
    assert(n == 2 * N); //~ BUG assertion
    return 0;
}
