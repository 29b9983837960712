// The bytes of a pointer are put back into a stream one by one, and another thread gets them from there.
//@ check: bug data-race
//@ check --facts on: bug data-race
#include <pthread.h>
#include <stdio.h>

static int x;

static void *gets(void *unused) {
    int *p;
    for (int i = 0; i < 8; i++)
        ((char *)&p)[i] = getchar();
    *p = 1; //~ BUG data-race
    return unused;
}

static void *writes(void *unused) {
    x = 2; //~ BUG data-race
    return unused;
}

int main(void) {
    pthread_t t, u;
    int *p = &x;
    for (int i = 7; i >= 0; i--)
        ungetc(((unsigned char *)&p)[i], stdin);
    pthread_create(&t, NULL, gets, NULL);
    pthread_create(&u, NULL, writes, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
