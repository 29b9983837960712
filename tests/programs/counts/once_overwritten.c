// One thread sets the control of a routine back while two others call it. Both run it, or one finds it done: the write comes before, between or after their calls,
// or while one of them runs the routine, so that the other begins it as well.
//@ check --races ignore: safe executions=12
//@ check --races ignore --strategy dpor-classic: safe executions=12
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first_ran, second_ran;
static pthread_once_t control = PTHREAD_ONCE_INIT;

static void run_first(void) { first_ran++; }

static void run_second(void) { second_ran = 1; }

static void *first(void *unused) {
    pthread_once(&control, run_first);
    return unused;
}

static void *overwrite(void *unused) {
    control = PTHREAD_ONCE_INIT;
    return unused;
}

static void *second(void *unused) {
    pthread_once(&control, run_second);
    return unused;
}

int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, overwrite, NULL);
    pthread_create(&three, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return 0;
}
