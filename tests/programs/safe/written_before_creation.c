// What main wrote before it made the reader is known to the reader, however it learns of the object.
//@ check: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <assert.h>
static _Atomic(int *) shared;
static void *reader(void *unused) {
    int *value = atomic_load_explicit(&shared, memory_order_relaxed);
    if (value) assert(*value == 5);
    return NULL;
}
static void *other(void *unused) { return NULL; }
int main(void) {
    pthread_t a, b;
    pthread_create(&b, NULL, other, NULL);
    int *value = malloc(sizeof *value);
    *value = 5;
    pthread_create(&a, NULL, reader, NULL);
    atomic_store_explicit(&shared, value, memory_order_relaxed);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(value);
    return 0;
}
