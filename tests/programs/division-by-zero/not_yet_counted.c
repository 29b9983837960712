// The total is divided by the number of samples before the first sample has arrived; every access is locked.
//@ check --strategy exhaustive: bug division-by-zero
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, samples;

static void *sample(void *arg)
{
    pthread_mutex_lock(&lock);
    total += 8;
    samples++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sample, NULL);
    pthread_mutex_lock(&lock);
    long mean = total / samples; //~ BUG division-by-zero
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return mean != 8;
}
