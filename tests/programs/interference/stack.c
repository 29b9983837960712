// A stack like Java's, whose methods take a lock each, one that a thread may take several times. A thread looks at the top element and then takes
// it, which are two calls: another one can put a different element there in between. That the stack may be empty by then is thought of. The paper
// (Razavi, Farzan and Holzer, 2012) has three tests of a stack and does not name the methods.
// Two threads, one input: the element that is put there. Needs two interferences, as those do: the count and the element that `pop` reads.
//@ check: bug assertion executions=7 blocked=0
//@ check --cflag=-DFIXED: safe executions=3 blocked=0
//@ check --strategy interference --max-interferences 1: bounded executions=7
//@ check --strategy interference --max-interferences 2: bug assertion executions=12
//@ check --cflag=-DFIXED --strategy interference: safe executions=9
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

static int pop(struct stack *stack)
{
    pthread_mutex_lock(&stack->lock);
    int count = stack->count, element = NOTHING;
    if (count > 0) {
        element = stack->elements[count - 1];
        stack->count = count - 1;
    }
    pthread_mutex_unlock(&stack->lock);
    return element;
}

static void push(struct stack *stack, int element)
{
    pthread_mutex_lock(&stack->lock);
    if (stack->count < ROOM)
        stack->elements[stack->count++] = element;
    pthread_mutex_unlock(&stack->lock);
}

static void *take(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&stack.lock);
#endif
    int seen = peek(&stack), taken = pop(&stack);
#ifdef FIXED
    pthread_mutex_unlock(&stack.lock);
#endif
    if (seen != NOTHING && taken != NOTHING)
        assert(seen == taken); //~ BUG assertion
    return arg;
}

static void *replace(void *arg)
{
    pop(&stack);
    push(&stack, gordian_range(0, 9, "element"));
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, take, NULL);
    pthread_create(&second, NULL, replace, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
