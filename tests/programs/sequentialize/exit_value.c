// What a thread hands to pthread_exit is what main gets when it joins it.
//@ check --races ignore: safe
//@ check --races ignore --strategy sequentialize: bounded
#include <assert.h>
#include <pthread.h>

static int x;

static void *writer(void *arg)
{
    x = 1;
    (void)arg;
    pthread_exit((void *)5);
}

static void *reader(void *arg)
{
    (void)arg;
    if (x)
        pthread_exit((void *)6);
    return (void *)7;
}

int main(void)
{
    pthread_t w, r;
    void *p, *q;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, &p);
    pthread_join(r, &q);
    assert(p == (void *)5);
    assert(q == (void *)6 || q == (void *)7);
    return 0;
}
