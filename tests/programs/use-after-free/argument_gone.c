// The thread gets the address of a local of the function that started it; if that returns first, the argument is gone.
//@ check --strategy exhaustive: bug use-after-free
//@ check --strategy random --runs 100: bug use-after-free
#include <pthread.h>

static pthread_t thread;

static void *work(void *arg)
{
    return *(int *)arg == 5 ? arg : NULL; //~ BUG use-after-free
}

static void start(int n)
{
    int argument = n;
    pthread_create(&thread, NULL, work, &argument);
}

int main(void)
{
    start(5);
    pthread_join(thread, NULL);
    return 0;
}
