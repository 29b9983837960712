// A variable of a loop's body is lent to another thread in every round. It is another one each time, with another value.
// The reader may come in either round: what it reads is what the variable was lent with. The assertion takes four interferences: `lent` is read twice, then
// what it points to, and main reads `seen`.
//@ check --cflag=-DNOT=1: bug assertion
//@ check --cflag=-DNOT=2: bug assertion
//@ check --cflag=-DNOT=3: safe
//@ check --cflag=-DNOT=1 --strategy interference --max-interferences 4: bug assertion
//@ check --cflag=-DNOT=2 --strategy interference --max-interferences 4: bug assertion
//@ check --cflag=-DNOT=2 --strategy interference --max-interferences 3: bounded
//@ check --cflag=-DNOT=3 --strategy interference: safe
#include <assert.h>
#include <pthread.h>

#ifndef NOT
#define NOT 1
#endif

static int *lent;
static int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *lend(void *arg)
{
    for (int n = 1; n <= 2; n++) {
        int own = n;
        pthread_mutex_lock(&lock);
        lent = &own;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        lent = NULL;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *look(void *arg)
{
    pthread_mutex_lock(&lock);
    if (lent)
        seen = *lent;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, lend, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(seen != NOT); //~ BUG assertion
}
