// Store buffering: each thread writes its variable and reads the other's. Both may read new values, or one an old one; both old ones would
// need each read before the other's write, which is a cycle.
//@ check --races ignore: safe executions=3
//@ check --races ignore --strategy unfold: safe executions=3
//@ check --races ignore --strategy contextual: safe executions=2
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *one(void *arg)
{
    x = 1;
    int seen = y;
    (void)seen;
    return arg;
}

static void *two(void *arg)
{
    y = 1;
    int seen = x;
    (void)seen;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
