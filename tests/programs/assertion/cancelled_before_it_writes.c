// A worker may be cancelled where it writes to a file, or join another before it comes to that.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
//@ check --cflag=-DJOINS: bug assertion
//@ check --cflag=-DJOINS --strategy exhaustive: bug assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int file;

static void *rest(void *arg)
{
    return arg;
}

static void *work(void *arg)
{
#ifdef JOINS
    pthread_join(*(pthread_t *)arg, NULL);
#else
    write(file, "x", 1);
#endif
    return arg;
}

int main(void)
{
    pthread_t worker, other;
    void *result;
    file = open("cancelled.txt", O_CREAT | O_RDWR, 0600);
    pthread_create(&other, NULL, rest, NULL);
    pthread_create(&worker, NULL, work, &other);
    pthread_cancel(worker);
    pthread_join(worker, &result);
    assert(result != PTHREAD_CANCELED); //~ BUG assertion
    return 0;
}
