// An exit handler frees what a worker still uses.
//@ check --races ignore: bug use-after-free
//@ check --strategy dpor-classic --races ignore: bug use-after-free
//@ check --strategy exhaustive --races ignore: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

static int *numbers;

static void handler(void)
{
    free(numbers);
}

static void *work(void *arg)
{
    numbers[0] = 1; //~ BUG use-after-free
    return arg;
}

int main(void)
{
    pthread_t thread;
    numbers = malloc(sizeof *numbers);
    atexit(handler);
    pthread_create(&thread, NULL, work, NULL);
    return 0;
}
