// The variable of the loop's body is published in both of its lives, at different places. Who has a pointer from the first life fails in the second one as long as that
// is not published, which is no access to the variable. Orders: it reads before the first life ends, between the lives, or after the second publication.
//@ check --races ignore: bug use-after-free
//@ check --races ignore --strategy dpor-classic: bug use-after-free
//@ check --races ignore --strategy exhaustive: bug use-after-free
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) first, second;
static atomic_int other;
static void *use(void *arg) {
    int *value = first;
    if (value) return (void *)(long)*value; //~ BUG use-after-free
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, use, 0);
    for (int i = 0; i < 2; i++) {
        int value = i + 1;
        if (i == 0) {
            first = &value;
            int seen = other;
            (void)seen;
        } else {
            second = &value;
            pthread_join(t, 0);
        }
    }
}
