// A key without a destructor: the thread ends, its value stays behind.
//@ check --strategy exhaustive --leaks: bug leak
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void *work(void *arg)
{
    pthread_setspecific(key, malloc(4)); //~ BUG leak
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, NULL);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_key_delete(key);
    return 0;
}
