// pthread_cond_wait needs the mutex locked by the caller.
//@ check --strategy exhaustive: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    pthread_cond_wait(&cond, &lock); //~ BUG lock-misuse
    return 0;
}
