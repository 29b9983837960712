// Threads print while another closes a file of its own. They have nothing to do with each other: printing looks at the descriptor that it prints to,
// so the only order is that of the two updates, and there are two traces.
//@ check: safe executions=2
//@ check --strategy dpor-classic: safe
//@ check --strategy exhaustive: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int n;
static int ends[2];

static void *prints(void *arg)
{
    atomic_fetch_add(&n, 1);
    printf("here\n");
    return arg;
}

static void *closes(void *arg)
{
    atomic_fetch_add(&n, 1);
    close(ends[0]);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&a, NULL, prints, NULL);
    pthread_create(&b, NULL, closes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
