// A vector is made from another one, as Java's constructor `Vector(Collection)` does: it asks how many elements there are, makes room for them,
// and has them copied. Each call takes the lock, which a thread may take several times, but another thread can add an element in between, and then
// more are copied than there is room for. The paper (Razavi, Farzan and Holzer, 2012) has three tests of a vector and does not name the methods.
// Two threads with one method each, one input: elements below zero are not added. Needs two interferences, as those do: the new count and the new
// element.
//@ check: bug out-of-bounds executions=4 blocked=0
//@ check --cflag=-DFIXED: safe executions=3 blocked=0
//@ check --strategy interference --max-interferences 1: bounded executions=7
//@ check --strategy interference --max-interferences 2: bug out-of-bounds executions=9
//@ check --cflag=-DFIXED --strategy interference: safe executions=8
#define _GNU_SOURCE
#include <gordian.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 4 };

struct vector {
    pthread_mutex_t lock;
    int count, elements[ROOM];
};

static struct vector vector = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 1, {5}};

static int size_of(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count;
    pthread_mutex_unlock(&vector->lock);
    return count;
}

static void to_array(struct vector *vector, int *array)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count;
    for (int i = 0; i < count; i++)
        array[i] = vector->elements[i]; //~ BUG out-of-bounds
    pthread_mutex_unlock(&vector->lock);
}

static void add(struct vector *vector, int element)
{
    pthread_mutex_lock(&vector->lock);
    vector->elements[vector->count++] = element;
    pthread_mutex_unlock(&vector->lock);
}

static void *copy(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&vector.lock);
#endif
    int room = size_of(&vector);
    int *array = malloc(room * sizeof *array);
    if (!array)
        abort();
    to_array(&vector, array);
#ifdef FIXED
    pthread_mutex_unlock(&vector.lock);
#endif
    free(array);
    return arg;
}

static void *add_one(void *arg)
{
    int element = gordian_int("element");
    if (element >= 0)
        add(&vector, element);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, copy, NULL);
    pthread_create(&second, NULL, add_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
