// Appending a vector to another, as `addAll` of Java's class Vector does; the running example of con2colic testing (Farzan, Holzer, Razavi and
// Veith, 2013). How long the result will be is computed before the lock is taken, and another thread can append in between. Whether there is room
// nevertheless depends on how much is appended, so the failure wants an input together with a schedule.
// Two threads, one input: 2 and 3 elements fail, fewer fit twice, more make the vector grow. Needs one interference: `cnt` at the assertion.
//@ check: bug assertion executions=24 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=13
//@ check --strategy interference --max-interferences 1: bug assertion executions=20
// All branches are covered with one; more interferences lead to the same.
//@ check --strategy interference: bug assertion executions=20
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROOM 4

struct vector {
    atomic_int cnt;
    int size;
    int *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vector all = {1, ROOM, NULL}, more;

static void add_all(struct vector *v, const struct vector *u)
{
    int n_elements = v->cnt + u->cnt;
    pthread_mutex_lock(&lock);
    if (n_elements > v->size) {
        v->data = realloc(v->data, n_elements * sizeof *v->data);
        v->size = n_elements;
    }
    int at = v->cnt;
    assert(v->size >= u->cnt + at); //~ BUG assertion
    for (int i = 0; i < u->cnt; i++)
        v->data[at + i] = u->data[i];
    v->cnt = at + u->cnt;
    pthread_mutex_unlock(&lock);
}

static void *append(void *arg)
{
    add_all(&all, &more);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    int data[ROOM + 1] = {5, 6, 7, 8, 9};
    all.data = calloc(ROOM, sizeof *all.data);
    more.cnt = gordian_range(0, ROOM + 1, "more.cnt");
    more.data = data;
    pthread_create(&first, NULL, append, NULL);
    pthread_create(&second, NULL, append, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(all.data);
    return 0;
}
