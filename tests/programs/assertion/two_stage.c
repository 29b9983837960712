// Two values are updated in two critical sections of two locks; a reader between the stages sees the first without the second.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER, lock2 = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void *two_stages(void *arg)
{
    pthread_mutex_lock(&lock1);
    data1 = 1;
    pthread_mutex_unlock(&lock1);
    pthread_mutex_lock(&lock2);
    data2 = data1 + 1;
    pthread_mutex_unlock(&lock2);
    return arg;
}

int main(void)
{
    pthread_t thread;
    int seen1, seen2;
    pthread_create(&thread, NULL, two_stages, NULL);
    pthread_mutex_lock(&lock1);
    seen1 = data1;
    pthread_mutex_unlock(&lock1);
    pthread_mutex_lock(&lock2);
    seen2 = data2;
    pthread_mutex_unlock(&lock2);
    assert(seen1 == 0 || seen2 == seen1 + 1); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
