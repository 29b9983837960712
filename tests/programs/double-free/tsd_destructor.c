// The thread frees its value by hand and leaves it under the key; the destructor frees it again when the thread ends.
//@ check --strategy exhaustive: bug double-free
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;

static void destroy(void *value)
{
    free(value); //~ BUG double-free
}

static void *work(void *arg)
{
    void *value = malloc(4);
    pthread_setspecific(key, value);
    free(value);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
