// Double-checked locking with a plain pointer: the check outside the lock races with the assignment inside.
//@ check --strategy exhaustive: bug data-race
//@ check --strategy exhaustive --races ignore: safe
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

static int *get(void)
{
    if (instance == NULL) { //~ BUG data-race
        pthread_mutex_lock(&lock);
        if (instance == NULL) {
            int *made = malloc(sizeof *made);
            if (made == NULL)
                abort();
            *made = 11;
            instance = made; //~ BUG data-race
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
}

static void *use(void *arg)
{
    assert(*get() == 11);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    use(NULL);
    pthread_join(thread, NULL);
    free(instance);
    return 0;
}
