// One thread polls a flag under a lock and counts how often it did, so that it is no waiting loop: executions without end, of which each is cut off.
//@ check --races ignore --max-steps 20000 --runs 3: bounded
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag, polls;

static void *polls_flag(void *arg)
{
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&lock);
        seen = flag;
        polls++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, polls_flag, 0);
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
