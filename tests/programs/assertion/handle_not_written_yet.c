// `pthread_create` writes the handle of the new thread to memory that others read: a thread that was created before can come first.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
//@ check --races ignore --cflag=-DC11: bug assertion
//@ check: bug data-race,assertion
#include <assert.h>
#include <pthread.h>
#include <threads.h>

#ifdef C11
#define CREATE(thread, start) thrd_create(thread, start, NULL)
#define JOIN(thread) thrd_join(thread, NULL)
typedef thrd_t handle;
typedef int result;
#else
#define CREATE(thread, start) pthread_create(thread, NULL, start, NULL)
#define JOIN(thread) pthread_join(thread, NULL)
typedef pthread_t handle;
typedef void *result;
#endif

static handle looker, other;

static result look(void *arg)
{
    (void)arg;
    assert(other); //~ BUG assertion
    return 0;
}

static result nothing(void *arg)
{
    (void)arg;
    return 0;
}

int main(void)
{
    CREATE(&looker, look);
    CREATE(&other, nothing);
    JOIN(looker);
    JOIN(other);
    return 0;
}
