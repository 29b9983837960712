// T' frees what T uses. To free is to write, and whoever takes that write fails: two sources with `done`, and one where T asks for nothing.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --strategy sequentialize --max-interferences 2: bug use-after-free
//@ check --races ignore --cflag=-DREADS --strategy sequentialize --max-interferences 1: bounded
//@ check --races ignore --cflag=-DREADS --strategy sequentialize --max-interferences 2: bug use-after-free
//@ check --races ignore --cflag=-DALWAYS --strategy sequentialize --max-interferences 0: bounded
//@ check --races ignore --cflag=-DALWAYS --strategy sequentialize --max-interferences 1: bug use-after-free
#include <pthread.h>
#include <stdlib.h>

#ifdef READS
#define USE(p) *(p)
#else
#define USE(p) (*(p) = 3)
#endif

static int *p, done;

static void *owner(void *arg)
{
    free(p);
    done = 1;
    return arg;
}

static void *user(void *arg)
{
#ifndef ALWAYS
    if (!done)
        return arg;
#endif
    return USE(p) ? arg : 0; //~ BUG use-after-free
}

int main(void)
{
    pthread_t o, u;
    p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&o, 0, owner, 0);
    pthread_create(&u, 0, user, 0);
    pthread_join(o, 0);
    pthread_join(u, 0);
    return 0;
}
