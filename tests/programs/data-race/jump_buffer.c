// `longjmp` reads the buffer, which another thread overwrites.
//@ check: bug data-race,abort
#include <pthread.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf buffer;

static void *spoil(void *arg)
{
    memset(&buffer, 0, sizeof buffer); //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    if (setjmp(buffer) == 0) {
        pthread_create(&thread, NULL, spoil, NULL);
        longjmp(buffer, 1); //~ BUG data-race
    }
    pthread_join(thread, NULL);
    return 0;
}
