// The address of a variable comes to the other thread through a pipe, and nothing else there names it.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <unistd.h>

int ends[2];
int x;

void *receives(void *unused) {
    int *there;
    if (read(ends[0], &there, sizeof there) == sizeof there)
        (*there)++; //~ BUG data-race
    return unused;
}

void *sends(void *unused) {
    int *here = &x;
    if (write(ends[1], &here, sizeof here) == sizeof here)
        x++;
    return unused;
}

int main(void) {
    if (pipe(ends) != 0)
        return 1;
    pthread_t t1, t2;
    pthread_create(&t1, NULL, receives, NULL);
    pthread_create(&t2, NULL, sends, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
}
