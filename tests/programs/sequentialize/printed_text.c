// What is printed is read: T prints what T' has freed.
//@ check --races ignore --strategy sequentialize --max-interferences 1: bug use-after-free
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char *text;

static void *frees(void *arg)
{
    free(text);
    return arg;
}

static void *prints(void *arg)
{
    printf("%d %s\n", 1, text); //~ BUG use-after-free
    return arg;
}

int main(void)
{
    text = calloc(1, 4);
    pthread_t first, second;
    pthread_create(&first, NULL, frees, NULL);
    pthread_create(&second, NULL, prints, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
