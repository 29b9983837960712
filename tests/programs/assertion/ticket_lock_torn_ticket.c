// A ticket lock whose ticket is drawn by load and store: two threads hold the same ticket and are served together.
// Waiting is bounded, so a thread whose number was skipped gives up instead of spinning for ever.
//@ check --strategy random --runs 1000: bug assertion
//@ check --strategy pos --runs 1000: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next_ticket, now_serving, inside;

static void *work(void *arg)
{
    int mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
    for (int attempt = 0; attempt < 3; attempt++) {
        if (atomic_load(&now_serving) == mine) {
            assert(atomic_fetch_add(&inside, 1) == 0); //~ BUG assertion
            atomic_fetch_sub(&inside, 1);
            atomic_store(&now_serving, mine + 1);
            break;
        }
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
