// Copying a whole structure reads each of its members, also the one that the other thread writes.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

struct record {
    long id, size, time;
};

static struct record shared;

static void *touch(void *arg)
{
    shared.time = 1; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    struct record copy;
    pthread_create(&thread, NULL, touch, NULL);
    copy = shared; //~ BUG data-race
    pthread_join(thread, NULL);
    return copy.id + copy.size + copy.time > 1;
}
