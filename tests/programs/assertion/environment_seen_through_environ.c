// `setenv` changes the variable `environ`, which main reads as memory.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy dpor-classic: bug assertion
//@ check --races ignore --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern char **environ;

static void *work(void *arg)
{
    setenv("A_NEW_ONE", "1", 1);
    return arg;
}

int main(void)
{
    pthread_t thread;
    clearenv();
    pthread_create(&thread, NULL, work, NULL);
    assert(environ == NULL); //~ BUG assertion
    pthread_join(thread, NULL);
    return 0;
}
