// The account is reached through a pointer that main stores before the threads begin and that nobody changes: the accesses are
// under the lock of the same account, although the pointer is loaded anew for each.
//@ check: safe
#include <pthread.h>

struct account {
    pthread_mutex_t m;
    int val;
};

struct task {
    struct account *a;
};

static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static struct task tasks[2];

static void *run(void *arg) {
    struct task *t = arg;
    pthread_mutex_lock(&t->a->m);
    t->a->val++;
    pthread_mutex_unlock(&t->a->m);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t t1, t2;
    (void)argv;
    tasks[0].a = &accounts[argc > 5];
    tasks[1].a = &accounts[argc > 7];
    pthread_create(&t1, 0, run, &tasks[0]);
    pthread_create(&t2, 0, run, &tasks[1]);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
    return 0;
}
