// A function of the library as the start routine of a thread.
//@ check: inconclusive message="the external function `free` as the start routine of a thread"
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, (void *(*)(void *))free, malloc(4));
    pthread_join(thread, NULL);
    return 0;
}
