// A buffer of one slot with one condition variable for "not full" and "not empty", and a signal where only a broadcast would do:
// the consumer wakes the other consumer instead of the producer, which goes back to sleep, and all sleep.
//@ check --strategy random --runs 3000: bug deadlock
//@ check --strategy pos --runs 3000: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void *consume(void *arg)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&changed, &lock); //~ BUG deadlock
    count--;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, consume, NULL);
    pthread_create(&b, NULL, consume, NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (count == 1)
            pthread_cond_wait(&changed, &lock); //~ BUG deadlock
        count++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
