// What depends on more than events say is refused: a local variable of T' after its function has returned, a mutex that T' initialises as a
// recursive one, a second thread that is not always created.
//@ check --races ignore --cflag=-DLOCAL --strategy sequentialize: inconclusive message="a local variable of another one"
//@ check --races ignore --cflag=-DTYPE --strategy sequentialize: inconclusive message="a mutex of another than the default type"
//@ check --races ignore --cflag=-DONE --strategy sequentialize: inconclusive message="before it creates the second thread"
//@ check --races ignore --cflag=-DLOCAL: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

extern _Bool gordian_bool(const char *);

static int *volatile p;
static pthread_mutex_t *volatile m;

#ifdef LOCAL
static void publish(void)
{
    int local = 5;
    p = &local;
}
#endif

static void *writer(void *arg)
{
#ifdef LOCAL
    publish();
#elif defined(TYPE)
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutexattr_t type;
    pthread_mutexattr_init(&type);
    pthread_mutexattr_settype(&type, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(mutex, &type);
    m = mutex;
#endif
    return arg;
}

static void *reader(void *arg)
{
    int *q = p;
    if (q)
        *q = 1; //~ BUG use-after-free
    if (m)
        pthread_mutex_lock(m);
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
#ifdef ONE
    if (!gordian_bool("both"))
        pthread_exit(0);
#endif
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
