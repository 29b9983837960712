// A stack whose methods take its lock each. A thread pushes the top element once more, which are two calls, and expects the two on top to be the same:
// another one can push an element in between. The third of three tests of a stack; the paper (Razavi, Farzan and Holzer, 2012) does not
// name the methods. Two threads, one input. Two sources, as there: the count when it pushes, and the element below.
//@ check: bug assertion
//@ check --cflag=-DFIXED: safe
//@ check --strategy sequentialize --max-interferences 1: bounded
//@ check --strategy sequentialize --max-interferences 2: bug assertion
//@ check --cflag=-DFIXED --strategy sequentialize: bounded
#define _GNU_SOURCE
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

enum { ROOM = 4, NOTHING = -1 };

struct stack {
    pthread_mutex_t lock;
    int count, elements[ROOM];
};

static struct stack stack = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 1, {5}};

static int peek(struct stack *stack)
{
    pthread_mutex_lock(&stack->lock);
    int count = stack->count;
    int element = count > 0 ? stack->elements[count - 1] : NOTHING;
    pthread_mutex_unlock(&stack->lock);
    return element;
}

static void push(struct stack *stack, int element)
{
    pthread_mutex_lock(&stack->lock);
    int count = stack->count;
    if (count < ROOM) {
        stack->elements[count] = element;
        stack->count = count + 1;
    }
    pthread_mutex_unlock(&stack->lock);
}

static int is_pair(struct stack *stack)
{
    pthread_mutex_lock(&stack->lock);
    int count = stack->count;
    int is = stack->elements[count - 1] == stack->elements[count - 2];
    pthread_mutex_unlock(&stack->lock);
    return is;
}

static void *duplicate(void *arg)
{
    pthread_mutex_lock(&stack.lock);
    int element = peek(&stack);
#ifndef FIXED
    pthread_mutex_unlock(&stack.lock);
    pthread_mutex_lock(&stack.lock);
#endif
    push(&stack, element);
    int pair = is_pair(&stack);
    pthread_mutex_unlock(&stack.lock);
    assert(pair); //~ BUG assertion
    return arg;
}

static void *push_one(void *arg)
{
    push(&stack, gordian_range(0, 9, "element"));
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, duplicate, NULL);
    pthread_create(&second, NULL, push_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
