// A file system on a simulated disk. Inodes and blocks have locks of their own; the count of free blocks is changed without one.
// Each operation works on a record of its own.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 1 // files of each thread
#endif


#define INODES 4
#define BLOCKS 4

struct inode {
    pthread_mutex_t lock;
    int size;
    int used;
    int block;
};

struct block {
    pthread_mutex_t lock;
    int owner;
    int data;
};

struct request {
    int inode;
    int block;
    int data;
};

static struct inode inodes[INODES];
static struct block blocks[BLOCKS];
static int n_free = BLOCKS;

static struct request *new_request(int data) {
    struct request *request = malloc(sizeof *request);
    request->inode = request->block = -1;
    request->data = data;
    return request;
}

static void allocate_inode(struct request *request) {
    for (int i = 0; i < INODES && request->inode < 0; i++) {
        pthread_mutex_lock(&inodes[i].lock);
        if (!inodes[i].used) {
            inodes[i].used = 1;
            inodes[i].block = -1;
            request->inode = i;
        }
        pthread_mutex_unlock(&inodes[i].lock);
    }
}

static void allocate_block(struct request *request) {
    for (int i = 0; i < BLOCKS && request->block < 0; i++) {
        pthread_mutex_lock(&blocks[i].lock);
        if (blocks[i].owner == 0) {
            blocks[i].owner = request->inode + 1;
            request->block = i;
        }
        pthread_mutex_unlock(&blocks[i].lock);
    }
    if (request->block >= 0)
        n_free--;
}

static void write_file(struct request *request) {
    struct inode *inode = &inodes[request->inode];
    struct block *block = &blocks[request->block];
    pthread_mutex_lock(&inode->lock);
    inode->block = request->block;
    pthread_mutex_lock(&block->lock);
    block->data = request->data;
    pthread_mutex_unlock(&block->lock);
    inode->size = 1;
    pthread_mutex_unlock(&inode->lock);
}

static void *user(void *data) {
    for (int i = 0; i < N; i++) {
        struct request *request = new_request((int)(long)data + i);
        allocate_inode(request);
        if (request->inode >= 0)
            allocate_block(request);
        if (request->block >= 0)
            write_file(request);
        free(request);
    }
    return 0;
}

int main(void) {
    pthread_t users[2];
    for (int i = 0; i < INODES; i++)
        pthread_mutex_init(&inodes[i].lock, 0);
    for (int i = 0; i < BLOCKS; i++)
        pthread_mutex_init(&blocks[i].lock, 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&users[i], 0, user, (void *)(10 * i));
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], 0);
    int n = 0;
    for (int i = 0; i < BLOCKS; i++)
        n += blocks[i].owner == 0;
    assert(n == n_free); //~ BUG assertion
    return 0;
}
