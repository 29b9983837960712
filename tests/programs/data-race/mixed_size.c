// A word is written, one of its bytes is read: the accesses overlap.
//@ check --strategy exhaustive: bug data-race
#include <pthread.h>

static union {
    unsigned word;
    unsigned char bytes[4];
} cell;

static void *write_word(void *arg)
{
    cell.word = 0x01010101; //~ BUG data-race
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_word, NULL);
    int seen = cell.bytes[2]; //~ BUG data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
