// Another thread may free the block whose size is asked for.
//@ check: inconclusive message="another thread may free"
//@ check --strategy exhaustive: inconclusive message="another thread may free"
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
static char *block;
static void *asker(void *unused) {
    return malloc_usable_size(block) == 0 ? block : NULL;
}
int main(void) {
    pthread_t thread;
    block = malloc(3);
    pthread_create(&thread, NULL, asker, NULL);
    pthread_join(thread, NULL);
    return 0;
}
