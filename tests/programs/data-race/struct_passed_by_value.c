// Passing a struct by value reads it, whatever the copy is made of: as a plain argument or as a variadic one.
//@ check: bug data-race,assertion
//@ check --strategy exhaustive: bug data-race,assertion
//@ check --cflag=-DVARIADIC: bug data-race,assertion
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

struct point {
    long x, y, z;
};

static struct point shared;

static void *mover(void *arg)
{
    shared.x = 1; //~ BUG data-race
    shared.y = 1;
    return arg;
}

#ifdef VARIADIC
static long sum(int n, ...)
{
    va_list list;
    va_start(list, n);
    struct point point = va_arg(list, struct point);
    va_end(list);
    return point.x + point.y + point.z;
}
#define SUM() sum(1, shared)
#else
static long sum(struct point point)
{
    return point.x + point.y + point.z;
}
#define SUM() sum(shared)
#endif

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, mover, NULL);
    assert(SUM() != 1); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
