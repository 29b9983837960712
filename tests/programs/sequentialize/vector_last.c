// A vector whose methods take its lock each. A thread looks at the last element and then removes the last one, which are two calls: another one can
// add an element in between. The third of three tests of a vector; the paper (Razavi, Farzan and Holzer, 2012) does not name the
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

struct vector {
    pthread_mutex_t lock;
    int count, elements[ROOM];
};

static struct vector vector = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 1, {5}};

static int last(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count;
    int element = count > 0 ? vector->elements[count - 1] : NOTHING;
    pthread_mutex_unlock(&vector->lock);
    return element;
}

static int remove_last(struct vector *vector)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count, element = NOTHING;
    if (count > 0) {
        element = vector->elements[count - 1];
        vector->count = count - 1;
    }
    pthread_mutex_unlock(&vector->lock);
    return element;
}

static void add(struct vector *vector, int element)
{
    pthread_mutex_lock(&vector->lock);
    int count = vector->count;
    if (count < ROOM) {
        vector->elements[count] = element;
        vector->count = count + 1;
    }
    pthread_mutex_unlock(&vector->lock);
}

static void *drop(void *arg)
{
#ifdef FIXED
    pthread_mutex_lock(&vector.lock);
#endif
    int seen = last(&vector), removed = remove_last(&vector);
#ifdef FIXED
    pthread_mutex_unlock(&vector.lock);
#endif
    assert(seen == removed); //~ BUG assertion
    return arg;
}

static void *add_one(void *arg)
{
    add(&vector, gordian_range(0, 9, "element"));
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, drop, NULL);
    pthread_create(&second, NULL, add_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
