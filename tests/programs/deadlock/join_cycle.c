// main joins a, a joins b, b joins main: three threads wait for each other's end, in every schedule.
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

static pthread_t main_thread, b;

static void *join_main(void *arg)
{
    pthread_join(main_thread, NULL); //~ BUG deadlock
    return arg;
}

static void *join_b(void *arg)
{
    pthread_join(b, NULL); //~ BUG deadlock
    return arg;
}

int main(void)
{
    pthread_t a;
    main_thread = pthread_self();
    pthread_create(&b, NULL, join_main, NULL);
    pthread_create(&a, NULL, join_b, NULL);
    pthread_join(a, NULL); //~ BUG deadlock
    return 0;
}
