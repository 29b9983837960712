// A thread waits for a semaphore, which another one posts, while main cancels it. If the post and the wait come before the cancellation the
// thread goes on. The post and the end of a wait that was cancelled can be made in any order, but only one of these orders leads there.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t semaphore;
static int taken;
static void *waiter(void *unused) {
    sem_wait(&semaphore);
    taken = 1;
    return unused;
}
static void *poster(void *unused) {
    sem_post(&semaphore);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    sem_init(&semaphore, 0, 0);
    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, poster, NULL);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(!taken); //~ BUG assertion
    return 0;
}
