// A little file system: every inode has a lock, every block has a lock, an inode without a block searches for a free one.
// Two inodes never get the same block.
//@ check --strategy random --runs 200: bounded
//@ check --strategy pct --runs 200: bounded
//@ check --strategy exhaustive --preemptions 2: bounded
//@ check --preemptions 2: bounded
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { INODES = 3, BLOCKS = 4 };

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES];
static bool busy[BLOCKS];

static void *create_file(void *arg)
{
    int i = (int)(intptr_t)arg % INODES;
    pthread_mutex_lock(&inode_lock[i]);
    if (inode[i] == 0) {
        for (int b = i * 2 % BLOCKS;; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = true;
                inode[i] = b + 1;
                pthread_mutex_unlock(&block_lock[b]);
                break;
            }
            pthread_mutex_unlock(&block_lock[b]);
        }
    }
    pthread_mutex_unlock(&inode_lock[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inode_lock[i], NULL);
    for (int b = 0; b < BLOCKS; b++)
        pthread_mutex_init(&block_lock[b], NULL);
    pthread_create(&thread, NULL, create_file, (void *)0);
    create_file((void *)2);
    pthread_join(thread, NULL);
    assert(inode[0] != 0 && inode[2] != 0 && inode[0] != inode[2]);
    return 0;
}
