// Adjacent bit-fields are one memory location: two threads that write different fields race, and may lose one of the writes.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static struct {
    unsigned left : 4;
    unsigned right : 4;
} both;

static void *write_right(void *arg)
{
    both.right = 2; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_right, NULL);
    both.left = 1; //~ BUG data-race
    pthread_join(thread, NULL);
    return 0;
}
