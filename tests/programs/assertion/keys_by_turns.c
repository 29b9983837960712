// Two threads create a key each: which gets which number depends on who comes first.
//@ check: bug assertion
//@ check --strategy dpor-classic: bug assertion
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>

static void *work(void *arg)
{
    pthread_key_t key;
    (void)arg;
    pthread_key_create(&key, NULL);
    return (void *)(long)key;
}

int main(void)
{
    pthread_t threads[2];
    void *keys[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], &keys[i]);
    assert(keys[0] < keys[1]); //~ BUG assertion
    return 0;
}
