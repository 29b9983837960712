// More keys than any program should need, and values behind the first hundreds of them.
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_key_t keys[600];

static void destroy(void *value) { printf("%ld\n", (long)value); }

static void *thread(void *argument) {
    for (long n = 0; n < 600; n += 150)
        pthread_setspecific(keys[n], (void *)(n + 1));
    return argument;
}

int main(void) {
    int failed = 0;
    for (int n = 0; n < 600; n++)
        failed += pthread_key_create(&keys[n], destroy) != 0;
    for (int n = 0; n < 300; n++) {
        pthread_key_t other;
        failed += pthread_key_create(&other, NULL) != 0 || pthread_key_delete(other) != 0;
    }
    printf("%d failed\n", failed);
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    printf("%d\n", pthread_getspecific(keys[450]) == NULL);
    return 0;
}
