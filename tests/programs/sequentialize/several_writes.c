// T reads a word whose bytes come from two writes of T'. That is refused, and nothing is claimed.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize: inconclusive message="bytes of several writes"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union {
    uint32_t word;
    uint16_t half[2];
} both;

static void *reader(void *arg)
{
    assert(both.word != 0x00020001); //~ BUG assertion
    return arg;
}

static void *writer(void *arg)
{
    both.half[0] = 1;
    both.half[1] = 2;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, writer, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
