// Two threads wait for the end of the same third one.
//@ check: bug lock-misuse
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t worker_thread;
static sem_t go;

static void *worker(void *arg)
{
    sem_wait(&go);
    return arg;
}

static void *other(void *arg)
{
    pthread_join(worker_thread, NULL); //~ BUG lock-misuse
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&go, 0, 0);
    pthread_create(&worker_thread, NULL, worker, NULL);
    pthread_create(&thread, NULL, other, NULL);
    sem_post(&go);
    pthread_join(worker_thread, NULL);
    pthread_join(thread, NULL);
    return 0;
}
