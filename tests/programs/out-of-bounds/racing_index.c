// The index is checked, but read a second time for the access; the other thread raises it in between.
//@ check --strategy exhaustive: bug out-of-bounds
//@ check --strategy random --runs 300: bug out-of-bounds
#include <pthread.h>
#include <stdatomic.h>

static int table[4];
static atomic_int position = 3;

static void *advance(void *arg)
{
    atomic_fetch_add(&position, 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen = 0;
    pthread_create(&thread, NULL, advance, NULL);
    if (atomic_load(&position) < 4)
        seen = table[atomic_load(&position)]; //~ BUG out-of-bounds
    pthread_join(thread, NULL);
    return seen;
}
