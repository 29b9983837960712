// The little file system without block locks: both inodes find the same block free.
//@ check --strategy exhaustive: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BLOCKS = 2 };

static atomic_bool busy[BLOCKS];
static int inode[2];

static void *create_file(void *arg)
{
    intptr_t me = (intptr_t)arg;
    for (int b = 0; b < BLOCKS; b++) {
        if (!atomic_load(&busy[b])) {
            atomic_store(&busy[b], true);
            inode[me] = b + 1;
            break;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, create_file, (void *)1);
    create_file((void *)0);
    pthread_join(thread, NULL);
    assert(inode[0] != inode[1]); //~ BUG assertion
    return 0;
}
