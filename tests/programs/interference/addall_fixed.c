// addall.c with its repair: the length of the result is computed under the lock.
// Two threads, one input, no bug.
//@ check: safe executions=12 blocked=0
//@ check --strategy interference: safe executions=78
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdlib.h>

#define ROOM 4

struct vector {
    int cnt;
    int size;
    int *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vector all = {1, ROOM, NULL}, more;

static void add_all(struct vector *v, const struct vector *u)
{
    pthread_mutex_lock(&lock);
    int n_elements = v->cnt + u->cnt;
    if (n_elements > v->size) {
        v->data = realloc(v->data, n_elements * sizeof *v->data);
        v->size = n_elements;
    }
    assert(v->size >= u->cnt + v->cnt);
    for (int i = 0; i < u->cnt; i++)
        v->data[v->cnt + i] = u->data[i];
    v->cnt += u->cnt;
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
