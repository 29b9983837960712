// Two readers keep a lock for ever. The writer comes before both of them or waits: with one of them away the other still keeps it out.
// Before one of them it would be let in by nobody either, so that there are two executions.
//@ check: bug deadlock executions=2 blocked=0
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t zero;

static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&rw);
    sem_wait(&zero);
    pthread_rwlock_unlock(&rw);
    return arg;
}

static void *writer(void *arg)
{
    pthread_rwlock_wrlock(&rw);
    pthread_rwlock_unlock(&rw);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    sem_init(&zero, 0, 0);
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_create(&c, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
