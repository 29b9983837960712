// A function that returns its static buffer is not for two threads.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>
#include <stdint.h>

static const char *digit(int n)
{
    static char text[2];
    text[0] = (char)('0' + n); //~ BUG data-race
    return text;
}

static void *work(void *arg)
{
    digit((int)(intptr_t)arg);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)3);
    work((void *)4);
    pthread_join(thread, NULL);
    return 0;
}
