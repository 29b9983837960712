// A thread takes a lock in memory that the other one has freed: it does not come further. If it has taken the lock before, it does.
//@ check --races ignore --keep-going: bug assertion,use-after-free
//@ check --races ignore --cflag=-DFREES_FIRST --strategy sequentialize: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug assertion message="k = 1"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static struct node {
    pthread_mutex_t m;
} *volatile node;
static int volatile x, y;

static void *locks(void *arg)
{
    struct node *n = node;
    y = 1;
    pthread_mutex_lock(&n->m); //~ BUG use-after-free
    pthread_mutex_unlock(&n->m);
    x = 1;
    return arg;
}

static void *frees(void *arg)
{
    int had_begun = 0;
#ifdef FREES_FIRST
    free(node);
    had_begun = y;
    assert(!(had_begun == 0 && x == 1));
#else
    free(node);
    assert(x == had_begun); //~ BUG assertion
#endif
    return arg;
}

int main(void)
{
    pthread_t l, f;
    node = malloc(sizeof *node);
    pthread_mutex_init(&node->m, NULL);
    pthread_create(&l, NULL, locks, NULL);
    pthread_create(&f, NULL, frees, NULL);
    pthread_join(l, NULL);
    pthread_join(f, NULL);
    return 0;
}
