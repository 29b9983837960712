// An error-checking mutex that is unlocked by who does not hold it says so, free or held: that keeps nobody from taking it before.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int y;
static pthread_mutex_t check;

static void *other(void *arg)
{
    int r = y;
    pthread_mutex_unlock(&check);
    assert(r == 0);
    return arg;
}

static void *holder(void *arg)
{
    pthread_mutex_lock(&check);
    y = 1;
    pthread_mutex_unlock(&check);
    return arg;
}

int main(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&check, &attr);
    pthread_t u, h;
    pthread_create(&u, 0, other, 0);
    pthread_create(&h, 0, holder, 0);
    pthread_join(u, 0);
    pthread_join(h, 0);
}
