// A library call touches less of the object than what it may touch.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy dpor: bug assertion
//@ check --strategy dpor-classic: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    char name[4];
    atomic_int n;
} obj = {"a", 0};
static atomic_int x;

static void handler(void) { }

static void *looks(void *arg)
{
    assert(obj.n == 0);
    return arg;
}

static void *writes(void *arg)
{
    x = 1;
    return arg;
}

static void *decides(void *arg)
{
    if (x == 0)
        obj.n = 1;
    else
        _exit(0);
    return arg;
}

static void *scans(void *arg)
{
    char c;
    sscanf(obj.name, "%c", &c);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    atexit(handler);
    pthread_create(&t[0], 0, looks, 0);
    pthread_create(&t[1], 0, writes, 0);
    pthread_create(&t[2], 0, decides, 0);
    pthread_create(&t[3], 0, scans, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
}
