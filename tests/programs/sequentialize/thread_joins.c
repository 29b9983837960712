// A thread waits for another one: what that did comes before, and nothing of what comes after can be seen by it. With two threads and with three.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
//@ check --races ignore --cflag=-DTHREE --strategy sequentialize: bounded
//@ check --races ignore --cflag=-DWRONG: bug assertion
//@ check --races ignore --cflag=-DWRONG --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --cflag=-DWRONG --strategy sequentialize --max-interferences 1: bug assertion
//@ check --races ignore --cflag=-DWRONG --cflag=-DTHREE --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --cflag=-DWRONG --cflag=-DTHREE --strategy sequentialize --max-interferences 1: bug assertion
//@ check --races ignore --cflag=-DRESULT --strategy sequentialize: inconclusive message="takes the result of another one"
#include <assert.h>
#include <pthread.h>

static int volatile x, y;
static pthread_t f, s, t;

static void *first(void *arg)
{
    x = 1;
    assert(y == 0);
    return (void *)7;
}

static void *second(void *arg)
{
#ifdef RESULT
    void *result;
    pthread_join(f, &result);
    assert(result == (void *)7);
#else
    pthread_join(f, NULL);
#endif
    y = 1;
#ifdef WRONG
    assert(x != 1); //~ BUG assertion
#else
    assert(x == 1);
#endif
    return arg;
}

static void *third(void *arg)
{
    return arg;
}

int main(void)
{
    (void)t, (void)third;
    pthread_create(&f, NULL, first, NULL);
    pthread_create(&s, NULL, second, NULL);
#ifdef THREE
    pthread_create(&t, NULL, third, NULL);
    pthread_join(t, NULL);
#endif
    pthread_join(s, NULL);
    return 0;
}
