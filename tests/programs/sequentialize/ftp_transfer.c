// An FTP server that sends a file in blocks over a connection of its own, while another thread obeys ABOR and closes that connection. The sender looks whether it is
// open before the transfer, but not before each block. The second of two bugs of this kind that were found in FTPNET (Razavi, Farzan and
// Holzer, 2012); `ftp_quit.c` of `interference` is the first. Two threads, one input: whether ABOR comes. One source, as there.
//@ check: bug assertion
//@ check --cflag=-DFIXED: safe
//@ check --strategy sequentialize --max-interferences 0: bounded
//@ check --strategy sequentialize --max-interferences 1: bug assertion
//@ check --cflag=-DFIXED --strategy sequentialize: bounded
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

enum { CLOSED = -1, BLOCKS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int data_connection = 4;
static int n_sent;

static void send_block(void)
{
    int connection = data_connection;
    assert(connection != CLOSED); //~ BUG assertion
    n_sent++;
}

static void *transfer(void *arg)
{
    pthread_mutex_lock(&lock);
    int open = data_connection != CLOSED;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (open)
        for (int n = 0; n < BLOCKS; n++)
            send_block();
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

static void *obey(void *arg)
{
    if (gordian_bool("abort")) {
        pthread_mutex_lock(&lock);
        data_connection = CLOSED;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, transfer, NULL);
    pthread_create(&second, NULL, obey, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
