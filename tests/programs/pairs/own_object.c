// Both threads call the same function, which makes an object and works on it. The object never leaves its thread.
//@ check: safe
#include <pthread.h>
#include <stdlib.h>

struct object {
    int val;
};

static void f2(struct object *o) { o->val = 2; }

static void f1(void) {
    struct object *o = malloc(sizeof *o);
    if (!o)
        return;
    f2(o);
    free(o);
}

static void *run(void *unused) {
    f1();
    return unused;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
