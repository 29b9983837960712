// A stack whose methods take its lock each. A thread looks how deep an element lies and then takes what lies there, which are two calls: another one can
// push an element in between. The second of three tests of a stack; the paper (Razavi, Farzan and Holzer, 2012) does not name the
// methods. Two threads with one method each, one input. Two sources, as there: the count and the new element.
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

static int depth_of(struct stack *stack, int element)
{
    pthread_mutex_lock(&stack->lock);
    int depth = NOTHING, count = stack->count;
    for (int i = count - 1; i >= 0 && depth == NOTHING; i--)
        if (stack->elements[i] == element)
            depth = count - i;
    pthread_mutex_unlock(&stack->lock);
    return depth;
}

static int at_depth(struct stack *stack, int depth)
{
    pthread_mutex_lock(&stack->lock);
    int count = stack->count;
    int element = depth <= count ? stack->elements[count - depth] : NOTHING;
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

static void *search(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&stack.lock);
#endif
    int depth = depth_of(&stack, 5);
    int element = depth == NOTHING ? 5 : at_depth(&stack, depth);
#ifdef FIXED
    pthread_mutex_unlock(&stack.lock);
#endif
    assert(element == 5); //~ BUG assertion
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
    pthread_create(&first, NULL, search, NULL);
    pthread_create(&second, NULL, push_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
