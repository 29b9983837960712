// Each thread puts more into the pipe of the other one than it holds before it reads its own, so both wait for ever.
//@ check --strategy dpor: bug deadlock
//@ check --strategy dpor-classic: bug deadlock
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>
#include <unistd.h>

enum { SIZE = 65537 };
static int there[2], back[2];
static char data[SIZE];

static void *one(void *unused)
{
    static char target[SIZE];
    write(there[1], data, SIZE); //~ BUG deadlock
    read(back[0], target, SIZE);
    return unused;
}

int main(void)
{
    static char target[SIZE];
    pthread_t thread;
    pipe(there);
    pipe(back);
    pthread_create(&thread, NULL, one, NULL);
    write(back[1], data, SIZE); //~ BUG deadlock
    read(there[0], target, SIZE);
    pthread_join(thread, NULL);
    return 0;
}
