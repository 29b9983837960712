// The list of buffers is the thread's own, a buffer that it names is not.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>

static atomic_int x;
static char *p;

static void *frees(void *argument) {
    if (x) free(p);
    return argument;
}

int main(void) {
    p = calloc(8, 1);
    struct iovec own = {p, 1};
    pthread_t thread;
    pthread_create(&thread, 0, frees, 0);
    x = 1;
    writev(1, &own, 1); //~ BUG use-after-free
    pthread_join(thread, 0);
}
