// A sequential program that arranges meetings: it takes the first hour, from a wanted one on, at which both people are free. Two copies of it run
// at the same time and know nothing of each other, so that one overwrites what the other has written (Razavi, Farzan and Holzer, 2012).
// Two threads, two inputs: the wanted hours. Needs one interference, as in the paper: the diary at the assertion.
//@ check: bug assertion executions=94 blocked=0
//@ check --cflag=-DFIXED: safe executions=18 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=8
//@ check --strategy interference --max-interferences 1: bug assertion executions=26
//@ check --cflag=-DFIXED --strategy interference: safe executions=14
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { HOURS = 3, FREE = 0 };

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif
static atomic_int ann[HOURS], bob[HOURS] = {FREE, 9, FREE};

static void arrange(int meeting, int wanted)
{
    for (int hour = 0; hour < HOURS; hour++) {
        if (hour < wanted || ann[hour] != FREE || bob[hour] != FREE)
            continue;
        ann[hour] = meeting;
        bob[hour] = meeting;
        assert(ann[hour] == bob[hour]); //~ BUG assertion
        return;
    }
}

static void *secretary(void *arg)
{
    int meeting = (int)(intptr_t)arg, wanted = gordian_range(0, HOURS - 1, "wanted");
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    arrange(meeting, wanted);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, secretary, (void *)1);
    pthread_create(&second, NULL, secretary, (void *)2);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
