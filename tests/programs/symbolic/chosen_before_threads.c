// Main writes through a pointer that an input chooses before there is another thread, then a thread does. Only one choice together with one input fails.
//@ check: bug assertion
//@ check --strategy interference: bug assertion
//@ check --cflag=-DALONE: bug assertion
//@ check --cflag=-DALONE --strategy interference --max-interferences 0: bug assertion
#include <assert.h>
#include <gordian.h>
#include <pthread.h>

static int x, y;
static int *chosen;

static void *work(void *arg)
{
    *chosen = 1;
    return arg;
}

int main(void)
{
    int input = gordian_int("input");
    chosen = input > 3 ? &x : &y;
    *chosen = 5;
#ifdef ALONE
    work(0);
#else
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
#endif
    assert(x + y == 1);
    assert(!(y == 1 && input == -9)); //~ BUG assertion
    return 0;
}
