// The loop ends by chance: who draws another number in every round does not repeat itself.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

extern uint32_t arc4random_uniform(uint32_t bound);

static atomic_int stop;

static void *draw(void *arg)
{
    while (stop == 0 && arc4random_uniform(4) != 0) {
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, draw, NULL);
    pthread_join(thread, NULL);
    return 0;
}
