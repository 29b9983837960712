// A vector whose methods take its lock each. A thread looks for an element and then takes what stands at that index, which are two calls: another one
// can remove an element in between, and the others move down. The second of three tests of a vector; the paper (Razavi, Farzan and Holzer,
// 2012) does not name the methods. Two threads with one method each. Two sources, as there: the count and the element.
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

struct vector {
    pthread_mutex_t lock;
    int count, elements[ROOM];
};

static struct vector vector = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 2, {5, 7}};

static int index_of(struct vector *vector, int element)
{
    pthread_mutex_lock(&vector->lock);
    int index = NOTHING, count = vector->count;
    for (int i = 0; i < count && index == NOTHING; i++)
        if (vector->elements[i] == element)
            index = i;
    pthread_mutex_unlock(&vector->lock);
    return index;
}

static int get(struct vector *vector, int index)
{
    pthread_mutex_lock(&vector->lock);
    int element = index < vector->count ? vector->elements[index] : NOTHING;
    pthread_mutex_unlock(&vector->lock);
    return element;
}

static void remove_first(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count;
    for (int i = 1; i < count; i++)
        vector->elements[i - 1] = vector->elements[i];
    if (count > 0)
        vector->count = count - 1;
    pthread_mutex_unlock(&vector->lock);
}

static void *look_up(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&vector.lock);
#endif
    int index = index_of(&vector, 5);
    int element = index == NOTHING ? NOTHING : get(&vector, index);
#ifdef FIXED
    pthread_mutex_unlock(&vector.lock);
#endif
    if (element != NOTHING)
        assert(element == 5); //~ BUG assertion
    return arg;
}

static void *remove_one(void *arg)
{
    if (gordian_bool("remove"))
        remove_first(&vector);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, look_up, NULL);
    pthread_create(&second, NULL, remove_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
