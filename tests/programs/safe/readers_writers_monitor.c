// Readers and writers as a monitor: many readers or one writer.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pct --runs 200: bounded
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idle = PTHREAD_COND_INITIALIZER;
static int readers;
static bool writing;
static int left, right;

static void *read_pair(void *arg)
{
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&idle, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
    assert(left == right);
    pthread_mutex_lock(&lock);
    if (--readers == 0)
        pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *write_pair(void *arg)
{
    pthread_mutex_lock(&lock);
    while (writing || readers > 0)
        pthread_cond_wait(&idle, &lock);
    writing = true;
    pthread_mutex_unlock(&lock);
    left++;
    right++;
    pthread_mutex_lock(&lock);
    writing = false;
    pthread_cond_broadcast(&idle);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t r1, r2, w1, w2;
    pthread_create(&r1, NULL, read_pair, NULL);
    pthread_create(&w1, NULL, write_pair, NULL);
    pthread_create(&r2, NULL, read_pair, NULL);
    pthread_create(&w2, NULL, write_pair, NULL);
    pthread_join(r1, NULL);
    pthread_join(w1, NULL);
    pthread_join(r2, NULL);
    pthread_join(w2, NULL);
    assert(left == 2 && right == 2);
    return 0;
}
