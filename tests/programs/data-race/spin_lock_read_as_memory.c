// A spin lock is looked at as if it were a number, while another thread takes it.
//@ check: bug data-race
//@ check --races ignore: safe executions=3
// The read comes before the lock, while it is held, and after the unlock.
#include <pthread.h>

static pthread_spinlock_t spin;

static void *work(void *arg)
{
    pthread_spin_lock(&spin); //~ BUG data-race
    pthread_spin_unlock(&spin);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_spin_init(&spin, 0);
    pthread_create(&thread, NULL, work, NULL);
    int is_held = *(volatile int *)&spin != 0;
    pthread_join(thread, NULL);
    return is_held & 0;
}
