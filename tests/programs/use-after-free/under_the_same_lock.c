// Who frees the object and who uses it hold the same lock, which does not order them: there is no race, and no branch leads to the failure.
// No read takes another thread's write.
//@ check: bug use-after-free
//@ check --strategy interference: bug use-after-free
//@ check --strategy interference --max-interferences 0: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *object;

static void *frees(void *arg)
{
    pthread_mutex_lock(&lock);
    free(object); //~ BUG use-after-free
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *uses(void *arg)
{
    pthread_mutex_lock(&lock);
    *object = 1; //~ BUG use-after-free
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    object = malloc(sizeof *object);
    pthread_create(&threads[0], 0, frees, 0);
    pthread_create(&threads[1], 0, uses, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
