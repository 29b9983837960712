// The pointer is read twice, and between the reads another thread comes and goes that sets it: the lock is that of another account.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
struct account { pthread_mutex_t m; int val; };
static struct account a = {PTHREAD_MUTEX_INITIALIZER, 0}, b = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct account *current = &a;
static void *move(void *arg) { current = &b; return arg; }
static void *other(void *arg) {
    pthread_mutex_lock(&b.m);
    b.val = 2;
    assert(b.val == 2); //~ BUG assertion
    pthread_mutex_unlock(&b.m);
    return arg;
}
static void *work(void *arg) {
    pthread_t t;
    struct account *one = current;
    pthread_mutex_lock(&one->m);
    pthread_create(&t, NULL, move, NULL);
    pthread_join(t, NULL);
    struct account *two = current;
    two->val = 1;
    pthread_mutex_unlock(&one->m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, other, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(u, NULL);
    pthread_join(t, NULL);
}
