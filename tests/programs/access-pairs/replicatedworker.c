// Workers take tasks from a pool, and each task may put more into it. Each worker has a queue with a lock in it. Whether all are idle is
// looked at without the lock, so the last worker may go to sleep when nobody is left to wake it.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug deadlock
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 2 // workers
#endif


#define TASKS 2

struct queue {
    pthread_mutex_t lock;
    int done;
    int sum;
};

static struct queue *queues[N];
static pthread_mutex_t pool = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int tasks = TASKS, idle, finished;

static void record(struct queue *queue, int task) {
    pthread_mutex_lock(&queue->lock);
    queue->done++;
    queue->sum += task;
    pthread_mutex_unlock(&queue->lock);
}

static int take(void) {
    pthread_mutex_lock(&pool);
    int task = tasks;
    if (task > 0)
        tasks--;
    pthread_mutex_unlock(&pool);
    return task;
}

static void rest(void) {
    idle++;
    if (idle == N) {
        pthread_mutex_lock(&pool);
        finished = 1;
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&pool);
        return;
    }
    pthread_mutex_lock(&pool);
    while (!finished)
        pthread_cond_wait(&more, &pool); //~ BUG deadlock
    pthread_mutex_unlock(&pool);
}

static void *worker(void *number) {
    int task;
    while ((task = take()) > 0)
        record(queues[((long)number + task) % N], task);
    rest();
    return 0;
}

int main(void) {
    pthread_t threads[N];
    for (long i = 0; i < N; i++) {
        queues[i] = malloc(sizeof *queues[i]);
        pthread_mutex_init(&queues[i]->lock, 0);
        queues[i]->done = queues[i]->sum = 0;
    }
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
