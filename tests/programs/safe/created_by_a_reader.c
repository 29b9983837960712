// Two threads read what main writes twice before it exits, and one of them goes on to create a thread. Each read comes before the first write, between both,
// before the exit, or never: 4 * 4 orders, since reads are independent of each other. Workers that shared the search left out those in which only
// the second thread reads before the first write.
//@ check --leaks: safe executions=16
//@ check --leaks --jobs 2: safe executions=16
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a;

static void *child(void *argument) { return argument; }

static void *creator(void *argument) {
    a;
    pthread_t thread;
    pthread_create(&thread, 0, child, argument);
    return 0;
}

static void *reader(void *argument) {
    (void)argument;
    return (void *)(long)a;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, creator, 0);
    pthread_create(&threads[1], 0, reader, 0);
    a = 3;
    a = 3;
    return 0;
}
