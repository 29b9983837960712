// A count-down latch: main goes on when both workers have counted down, and may then read what they wrote.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t zero = PTHREAD_COND_INITIALIZER;
static int remaining = 2, result[2];

static void *work(void *arg)
{
    intptr_t me = (intptr_t)arg;
    result[me] = (int)me + 1;
    pthread_mutex_lock(&lock);
    if (--remaining == 0)
        pthread_cond_signal(&zero);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_mutex_lock(&lock);
    while (remaining > 0)
        pthread_cond_wait(&zero, &lock);
    pthread_mutex_unlock(&lock);
    assert(result[0] + result[1] == 3);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
