// Producers and consumers share a buffer under a lock. Each fills a form of its own, which nobody else sees, and all count what
// they did without a lock: an increment gets lost.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef N
#define N 1 // items of each producer
#endif


#define PRODUCERS 3
#define CONSUMERS 4
#define SIZE 2

struct form {
    int producer;
    int number;
    int sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], count, head, left = PRODUCERS * N, handled;

static struct form *new_form(int producer) {
    struct form *form = malloc(sizeof *form);
    form->producer = producer;
    form->number = 0;
    form->sum = 0;
    return form;
}

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &lock);
    buffer[(head + count) % SIZE] = item;
    count++;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int get(int *item) {
    pthread_mutex_lock(&lock);
    while (count == 0 && left > 0)
        pthread_cond_wait(&not_empty, &lock);
    int found = left > 0;
    if (found) {
        *item = buffer[head];
        head = (head + 1) % SIZE;
        count--;
        left--;
        pthread_cond_broadcast(&not_full);
        pthread_cond_broadcast(&not_empty);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *produce(void *number) {
    struct form *form = new_form((int)(long)number);
    for (int i = 0; i < N; i++) {
        form->number = i;
        form->sum += form->producer;
        put(form->producer * N + form->number);
    }
    free(form);
    return 0;
}

static void *consume(void *number) {
    struct form *form = new_form((int)(long)number);
    int item;
    while (get(&item)) {
        form->number++;
        form->sum += item;
        handled++;
    }
    free(form);
    return 0;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (long i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], 0, produce, (void *)i);
    for (long i = 0; i < CONSUMERS; i++)
        pthread_create(&threads[PRODUCERS + i], 0, consume, (void *)i);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], 0);
    assert(handled == PRODUCERS * N); //~ BUG assertion
    return 0;
}
