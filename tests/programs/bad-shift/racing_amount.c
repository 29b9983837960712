// The amount is checked, and then raised by another thread before it is used.
//@ check --races ignore: bug bad-shift
//@ check --races ignore --strategy exhaustive: bug bad-shift
#include <pthread.h>

int amount = 31;

void *raise(void *unused)
{
    amount = 32;
    return unused;
}

int main(void)
{
    pthread_t other;
    int bits = 0;
    pthread_create(&other, 0, raise, 0);
    if (amount < 32)
        bits = 1u << amount; //~ BUG bad-shift
    pthread_join(other, 0);
    return bits == 1;
}
