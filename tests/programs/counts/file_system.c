// The file system of Flanagan and Godefroid: 32 inodes and 26 blocks, each with a lock. Up to 13 threads touch different blocks; with N threads
// there are 2^(N - 13) traces, 8,192 with 26.
//@ check --cflag=-DN=13: safe executions=1 blocked=0
//@ check --cflag=-DN=16: safe executions=8 blocked=0
//@ check --cflag=-DN=26: safe executions=8192 blocked=0
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 16
#endif
#define BLOCKS 26
#define INODES 32

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *make(void *arg)
{
    int tid = (int)(intptr_t)arg;
    int i = tid % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        int b = (i * 2) % BLOCKS;
        for (;;) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
            b = (b + 1) % BLOCKS;
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int n = 0; n < INODES; n++)
        pthread_mutex_init(&inode_lock[n], NULL);
    for (int n = 0; n < BLOCKS; n++)
        pthread_mutex_init(&block_lock[n], NULL);
    for (intptr_t n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, make, (void *)n);
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
