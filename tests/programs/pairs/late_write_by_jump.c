// What comes before the creation in the text comes after it by a jump: `limit` is no constant.
//@ check --races ignore: bug assertion
//@ check --races ignore --facts on: bug assertion
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

jmp_buf back;
int limit = 1;

void *run(void *unused) {
    assert(limit == 1); //~ BUG assertion
    return unused;
}

int main(void) {
    pthread_t t;
    if (setjmp(back)) {
        limit = 2;
        return 0;
    }
    pthread_create(&t, NULL, run, NULL);
    longjmp(back, 1);
}
