// Thread-specific data start as a null pointer in each thread; main's value is not the worker's.
//@ check --strategy exhaustive: bug null-dereference
#include <pthread.h>

static pthread_key_t key;

static void *work(void *arg)
{
    int *mine = pthread_getspecific(key);
    *mine = 1; //~ BUG null-dereference
    return arg;
}

int main(void)
{
    pthread_t thread;
    int value = 0;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &value);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return value;
}
