// Two threads write different bytes of one word, so there is one trace. The stateful strategies keep a name for each half of a word, so that the order of the two writes tells
// states apart; the unfolding that took them for independent met executions that it had not foreseen.
//@ check --strategy dpor: safe executions=1
//@ check --races ignore --strategy stateful: safe
//@ check --races ignore --strategy stateful-naive: safe
#include <pthread.h>

static char text[4];

static void *writes_third(void *unused) {
    text[2] = 'y';
    return unused;
}

static void *writes_first(void *unused) {
    text[0] = 'x';
    return unused;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writes_third, NULL);
    pthread_create(&t, NULL, writes_first, NULL);
    return 0;
}
