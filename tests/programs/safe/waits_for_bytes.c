// The worker copies three bytes until the first is zero. What it has seen is one of them, and that it changes is what it waits for.
//@ check --races ignore: safe
//@ check --races ignore --strategy dpor-classic: safe
#include <pthread.h>
#include <string.h>

static char shared[3] = {1, 1, 1};

__attribute__((noinline)) static int first(char *bytes)
{
    return bytes[0];
}

static void *wait_for_zero(void *arg)
{
    char own[3];
    do
        memcpy(own, shared, sizeof own);
    while (first(own));
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_zero, NULL);
    memset(shared, 0, sizeof shared);
    pthread_join(thread, NULL);
    return 0;
}
