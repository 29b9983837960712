// Arguments that functions of the library refuse, or do nothing with.
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    FILE *file = fopen("/dev/null", "r");
    errno = 0;
    printf("%zu %d\n", fwrite("a", 0, 5, file), errno);
    printf("%d\n", ferror(file));
    printf("%zu %d\n", fwrite("a", 1, 1, file), errno == EBADF);
    fclose(file);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    printf("%d\n", pthread_mutexattr_setrobust(&attributes, 7) == EINVAL);
    printf("%d\n", pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    printf("%d\n", pthread_mutexattr_settype(&attributes, 99) == EINVAL);
    return 0;
}
