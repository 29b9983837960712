// The second thread waits for the first one, and the third for the second: it sees what both did.
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion message="k = 2"
//@ check --races ignore --cflag=-DRIGHT --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

static int volatile x, y;
static pthread_t t[3];

static void *first(void *arg)
{
    x = 1;
    x = 2;
    return arg;
}

static void *second(void *arg)
{
    y = 1;
    pthread_join(t[0], NULL);
    y = 2;
    return arg;
}

static void *third(void *arg)
{
    int early = x;
    pthread_join(t[1], NULL);
    assert(early == 0 || x == 2);
#ifdef RIGHT
    assert(x == 2 && y == 2);
#else
    assert(!(x == 2 && y == 2)); //~ BUG assertion
#endif
    return arg;
}

int main(void)
{
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    pthread_join(t[2], NULL);
    return 0;
}
