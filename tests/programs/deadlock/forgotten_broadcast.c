// Two threads wait for the same event, one signal wakes only one of them. It happens only if both wait before the event;
// a late one finds the predicate true.
//@ check --strategy random --runs 1000: bug deadlock
//@ check --strategy pos --runs 1000: bug deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *pass(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock); //~ BUG deadlock
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pass, NULL);
    pthread_create(&b, NULL, pass, NULL);
    pthread_mutex_lock(&lock);
    is_open = 1;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
