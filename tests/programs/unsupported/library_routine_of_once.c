// A function of the library as the routine of `pthread_once`.
//@ check: inconclusive message="the external function `tzset` as the routine of `pthread_once`"
#include <pthread.h>
#include <time.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

int main(void) {
    return pthread_once(&once, tzset);
}
