// A thread joins itself and waits for its own end. (POSIX lets an implementation answer EDEADLK; none has to.)
//@ check --strategy exhaustive: bug deadlock
#include <pthread.h>

int main(void)
{
    pthread_join(pthread_self(), NULL); //~ BUG deadlock
    return 0;
}
