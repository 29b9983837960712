// The first thread fails if it reads what the second one has written because of what the first one wrote: k = 1 in one and k' = 1 in the other.
// Without reads in the other thread no k is enough, and with one of each both must be there.
//@ check --strategy sequentialize --max-interferences 3: bounded
//@ check --strategy sequentialize --max-interferences 0,1: bounded
//@ check --strategy sequentialize --max-interferences 1,1: bug assertion
//@ check --strategy interference --max-interferences 1,1: usage
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int question, answer;

static void *asks(void *arg)
{
    question = 1;
    assert(answer != 2); //~ BUG assertion
    return arg;
}

static void *answers(void *arg)
{
    int asked = question;
    if (asked == 1)
        answer = 2;
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, asks, NULL);
    pthread_create(&second, NULL, answers, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
