// `strftime` reads the name of the zone that its argument points to: another thread may write it after the thread has come so far.
//@ check: bug assertion,data-race
//@ check --strategy exhaustive: bug assertion,data-race
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static char zone[4] = "ABC";
static atomic_int go;
static void *teller(void *unused) {
    struct tm tm = {0};
    char text[8];
    tm.tm_zone = zone;
    tm.tm_mday = 1;
    go = 1;
    strftime(text, 8, "%Z", &tm); //~ BUG data-race
    assert(text[0] != 'X'); //~ BUG assertion
    return NULL;
}
static void *changer(void *unused) {
    if (go)
        zone[0] = 'X'; //~ BUG data-race
    return NULL;
}
int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, teller, NULL);
    pthread_create(&second, NULL, changer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}
