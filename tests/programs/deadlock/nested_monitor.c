// Nested monitor lockout: the consumer waits inside the inner monitor and keeps the outer one, which the producer has to enter first.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *produce(void *arg)
{
    pthread_mutex_lock(&outer); //~ BUG deadlock
    pthread_mutex_lock(&inner);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    while (items == 0)
        pthread_cond_wait(&filled, &inner); //~ BUG deadlock
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    pthread_join(thread, NULL);
    return 0;
}
