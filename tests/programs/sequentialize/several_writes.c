// T reads a word whose bytes come from two writes of T': two sources of one read. With one source the other half is T's own.
//@ check --races ignore: bug assertion
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug assertion message="k = 2, in 1 reads of thread 1"
//@ check --races ignore --cflag=-DHALF --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --cflag=-DHALF --strategy sequentialize --max-interferences 1: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifdef HALF
#define BAD 0x00000001
#else
#define BAD 0x00020001
#endif

static union {
    uint32_t word;
    uint16_t half[2];
} both;

static void *reader(void *arg)
{
    assert(both.word != BAD); //~ BUG assertion
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
