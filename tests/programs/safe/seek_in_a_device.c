// Linux stays at the beginning of /dev/null and /dev/zero, wherever a program seeks and whatever it reads there.
//@ check: safe
//@ check --strategy exhaustive: safe
//@ native
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int null, zero;
static void *mover(void *unused) {
    char byte;
    assert(lseek(null, 5, SEEK_SET) == 0);
    assert(read(zero, &byte, 1) == 1);
    return NULL;
}
static void *teller(void *unused) {
    assert(lseek(null, 0, SEEK_CUR) == 0);
    assert(lseek(zero, 0, SEEK_CUR) == 0);
    return NULL;
}
int main(void) {
    pthread_t first, second;
    null = open("/dev/null", O_RDWR);
    zero = open("/dev/zero", O_RDONLY);
    pthread_create(&first, NULL, mover, NULL);
    pthread_create(&second, NULL, teller, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%ld %ld\n", (long)lseek(null, -3, SEEK_END), (long)lseek(zero, 7, SEEK_SET));
    return 0;
}
