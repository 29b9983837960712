// Different bytes of one word are different memory locations in C11: two threads may write neighbours without a race.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>

static struct {
    char left, right;
} both;

static void *write_right(void *arg)
{
    both.right = 2;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_right, NULL);
    both.left = 1;
    pthread_join(thread, NULL);
    assert(both.left == 1 && both.right == 2);
    return 0;
}
