// Looking at a semaphore again and again, without anybody who posts it, is waiting: what is written each time is what stood there before.
//@ check: bug livelock
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore, other;

static void *look(void *arg)
{
    int value = 0;
    while (value == 0)
        sem_getvalue(&semaphore, &value); //~ BUG livelock
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    sem_init(&other, 0, 0);
    pthread_create(&thread, NULL, look, NULL);
    sem_post(&other);
    pthread_join(thread, NULL);
    return 0;
}
