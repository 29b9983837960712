// A function of the C library sets `errno` while another thread has a pointer to it: when it does so is not a step of its own, so there is no proof.
//@ check: inconclusive message="`log` uses `errno`"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) place;
static volatile double minus_one = -1;

static void *keep(void *arg)
{
    return place ? arg : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, keep, NULL);
    place = &errno;
    double value = log(minus_one);
    pthread_join(thread, NULL);
    return value == 0;
}
