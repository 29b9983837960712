// The failure takes the third step of a thread: it reads, it writes, and it reads again. With two steps for each thread it is not reached by events, and the report must
// not speak of more steps than these. Over a model each test goes on to its end, and finds it.
//@ check --races ignore --strategy unfold: bug assertion
//@ check --races ignore --strategy unfold --max-thread-steps 3: bug assertion
//@ check --races ignore --strategy unfold --max-thread-steps 2: bounded message="up to 2 steps of each thread"
//@ check --races ignore --strategy contextual --max-thread-steps 2: bounded message="up to 2 steps of each thread"
//@ check --races ignore --strategy stateful --max-thread-steps 2: bug assertion
//@ check --races ignore --strategy stateful-naive --max-thread-steps 2: bug assertion
//@ check --races ignore --max-thread-steps 2: usage
#include <assert.h>
#include <pthread.h>

static int shared;

static void *increments(void *arg)
{
    int before = shared;
    shared = before + 1;
    assert(shared == before + 1); //~ BUG assertion
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, increments, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
