// Two threads write under one lock and then without it. Both can stand before their unprotected writes at once, in no execution before the protected ones.
//@ check --races ignore --strategy unfold --reach reached_together.c:22&reached_together.c:33: safe message="at once where"
//@ check --races ignore --strategy contextual --reach reached_together.c:22&reached_together.c:33: safe message="at once where"
//@ check --races ignore --strategy stateful --reach reached_together.c:22&reached_together.c:33: safe message="at once where"
//@ check --races ignore --strategy unfold --reach reached_together.c:20&reached_together.c:31: safe message="no execution has threads at"
//@ check --races ignore --strategy contextual --reach reached_together.c:20&reached_together.c:31: safe message="no execution has threads at"
//@ check --races ignore --strategy stateful --reach reached_together.c:20&reached_together.c:31: safe message="no execution has threads at"
//@ check --races ignore --strategy stateful-naive --reach reached_together.c:20&reached_together.c:31: usage
//@ check --races ignore --strategy dpor --reach reached_together.c:20&reached_together.c:31: usage
//@ check --races ignore --strategy unfold --reach reached_together.c:3: usage
//@ check --strategy stateful: usage
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside, outside;

static void *one(void *arg)
{
    pthread_mutex_lock(&lock);
    inside = 1;
    pthread_mutex_unlock(&lock);
    outside = 1;
    return arg;
}

static void *two(void *arg)
{
    int seen;
    (void)arg;
    pthread_mutex_lock(&lock);
    inside = 2;
    pthread_mutex_unlock(&lock);
    seen = outside;
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
