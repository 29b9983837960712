// The lock is that of the element before, not that of the element.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
struct account { pthread_mutex_t m; int val; };
static struct account *accounts[2];
static struct account a = {PTHREAD_MUTEX_INITIALIZER, 0}, b = {PTHREAD_MUTEX_INITIALIZER, 0};
static void *first(void *arg) {
    struct account *previous;
    for (int i = 0; i < 2; i++) {
        struct account *now = accounts[i];
        if (i > 0) {
            pthread_mutex_lock(&previous->m);
            now->val = 1;
            pthread_mutex_unlock(&previous->m);
        }
        previous = now;
    }
    return arg;
}
static void *second(void *arg) {
    struct account *now = accounts[1];
    pthread_mutex_lock(&now->m);
    now->val = 2;
    assert(now->val == 2); //~ BUG assertion
    pthread_mutex_unlock(&now->m);
    return arg;
}
int main(void) {
    pthread_t t, u;
    accounts[0] = &a;
    accounts[1] = &b;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
