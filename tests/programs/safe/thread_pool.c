// A pool of two workers takes tasks from a linked queue until it is told to stop and the queue is empty.
// The stop is a broadcast, so no worker sleeps on.
//@ check --strategy random --runs 200 --leaks: bounded
//@ check --strategy pct --runs 200 --depth 3: bounded
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct task {
    void (*run)(int);
    int argument;
    struct task *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_available = PTHREAD_COND_INITIALIZER;
static struct task *first, **last = &first;
static bool stopping;

static pthread_mutex_t result_lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void add_square(int n)
{
    pthread_mutex_lock(&result_lock);
    result += n * n;
    pthread_mutex_unlock(&result_lock);
}

static void submit(void (*run)(int), int argument)
{
    struct task *task = malloc(sizeof *task);
    if (task == NULL)
        abort();
    *task = (struct task){run, argument, NULL};
    pthread_mutex_lock(&lock);
    *last = task;
    last = &task->next;
    pthread_cond_signal(&work_available);
    pthread_mutex_unlock(&lock);
}

static struct task *next_task(void)
{
    pthread_mutex_lock(&lock);
    while (first == NULL && !stopping)
        pthread_cond_wait(&work_available, &lock);
    struct task *task = first;
    if (task != NULL) {
        first = task->next;
        if (first == NULL)
            last = &first;
    }
    pthread_mutex_unlock(&lock);
    return task;
}

static void *worker(void *arg)
{
    struct task *task;
    while ((task = next_task()) != NULL) {
        task->run(task->argument);
        free(task);
    }
    return arg;
}

int main(void)
{
    pthread_t workers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 1; i <= 3; i++)
        submit(add_square, i);
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_cond_broadcast(&work_available);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    assert(result == 14);
    return 0;
}
