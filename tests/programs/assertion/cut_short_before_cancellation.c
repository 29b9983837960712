// Who reads the counter first decides. In some orders the first execution ends with the failed assertion, before any thread has come to
// where it could be cancelled: that there are such places must be known all the same.
//@ check --races ignore: bug assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static char name[4] = "ab";
static atomic_int count, other;

static void *look_twice(void *arg) {
    int first = ((volatile char *)name)[0];
    return (void *)(long)(first + ((volatile char *)name)[0]);
}

static void *add(void *arg) {
    count++;
    return arg;
}

static void *expect_none(void *arg) {
    assert(count == 0);
    return arg;
}

static void *look(void *arg) {
    return (void *)(long)count;
}

int main(int argc, char **argv) {
    pthread_t t[4];
    pthread_create(&t[0], 0, look_twice, 0);
    pthread_create(&t[1], 0, add, 0);
    pthread_create(&t[2], 0, expect_none, 0);
    pthread_create(&t[3], 0, look, 0);
    other = 1;
    if (argc > 1) {
        pthread_cancel(t[0]);
        name[0] = 'c';
    }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
