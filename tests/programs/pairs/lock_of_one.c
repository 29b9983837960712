// One thread takes a lock that nobody else takes, once even twice: it waits for itself. Facts leave that to be seen.
//@ check: bug lock-misuse
//@ check --facts on: bug lock-misuse
#include <pthread.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER, common = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *run(void *unused) {
    pthread_mutex_lock(&own);
    pthread_mutex_lock(&common);
    int is_second = n++ == 1;
    pthread_mutex_unlock(&common);
    if (is_second)
        pthread_mutex_lock(&own); //~ BUG lock-misuse
    pthread_mutex_unlock(&own);
    return unused;
}

static void *other(void *unused) {
    pthread_mutex_lock(&common);
    n++;
    pthread_mutex_unlock(&common);
    return unused;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, run, 0);
    pthread_create(&u, 0, other, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
