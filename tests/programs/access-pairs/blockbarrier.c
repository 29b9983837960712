// A barrier that counts arrivals and forgets them when the last has come. Who was woken may find that a quicker thread has already
// come for the next round (barging).
//@ check --races ignore --stop-at-first --strategy value-schedule: bug assertion
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 4 // threads
#endif


static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived, round_number;

static void block(void) {
    pthread_mutex_lock(&lock);
    arrived++;
    if (arrived == N) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&all_here);
    } else {
        int mine = round_number;
        pthread_cond_wait(&all_here, &lock);
        assert(round_number == mine + 1 && arrived == 0); //~ BUG assertion
    }
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused) {
    block();
    block();
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
