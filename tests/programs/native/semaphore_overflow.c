// A semaphore at its greatest value refuses to be posted.
//@ check: safe
//@ native
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
int main(void) {
    sem_t sem;
    int value;
    assert(sem_init(&sem, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&sem) == -1 && errno == EOVERFLOW);
    sem_getvalue(&sem, &value);
    assert(value == SEM_VALUE_MAX);
    assert(sem_wait(&sem) == 0);
    assert(sem_post(&sem) == 0);
    puts("done");
    return 0;
}
