// A time that is none is refused although the semaphore could be taken at once, which leaves it as it was.
//@ native
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    struct timespec when = {time(NULL) + 1, 1500000000};
    printf("%d", sem_timedwait(&semaphore, &when));
    printf(" %d\n", errno == EINVAL);
    when.tv_nsec = 0;
    printf("%d\n", sem_timedwait(&semaphore, &when));
    return 0;
}
