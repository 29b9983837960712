// The loop ends in its second round, because of what `sem_getvalue` has written in the first: what an operation writes to the thread's own memory
// is a change like any other, and the thread does not repeat itself.
//@ check: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <semaphore.h>

static sem_t none, one;

static void *look(void *arg)
{
    int a = 0, b = 0;
    for (;;) {
        sem_getvalue(&none, &a);
        if (b)
            break;
        sem_getvalue(&one, &b);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    sem_init(&none, 0, 0);
    sem_init(&one, 0, 1);
    pthread_create(&thread, NULL, look, NULL);
    sem_post(&none);
    pthread_join(thread, NULL);
    return 0;
}
