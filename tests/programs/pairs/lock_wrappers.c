// Locks are taken and released in functions of their own, and the update is in a third one.
//@ check: safe
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int val;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};

static void enter(struct account *a) { pthread_mutex_lock(&a->m); }
static void leave(struct account *a) { pthread_mutex_unlock(&a->m); }
static void update(struct account *a) { a->val++; }

static void *run(void *arg) {
    struct account *a = &accounts[(long)arg % 2];
    enter(a);
    update(a);
    leave(a);
    return 0;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, 0, run, (void *)2);
    pthread_create(&t2, 0, run, (void *)4);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
