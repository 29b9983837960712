// An input decides something in one thread, while another writes what two others read: 2 branches times 2^2 orders are 8 traces. The branch
// is covered beside the orders: 4 executions, and with read arcs 2.
//@ check --races ignore: safe executions=8
//@ check --races ignore --strategy unfold: safe executions=4
//@ check --races ignore --strategy contextual: safe executions=2
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *decide(void *arg)
{
    int a = gordian_int("a");
    if (a == 10)
        a = 0;
    (void)a;
    return arg;
}

static void *writer(void *arg)
{
    x = 5;
    return arg;
}

static void *reader(void *arg)
{
    int seen = x;
    (void)seen;
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    pthread_create(&threads[0], NULL, decide, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, writer, NULL);
    pthread_create(&threads[3], NULL, reader, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
