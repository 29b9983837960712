// A declared region waits in its middle. Who ends the wait has seen what the region did before, in some schedules, and so comes between.
//@ predict --only atomicity: bug atomicity
#include <pthread.h>
#include <stdio.h>

void gordian_atomic_begin(void);
void gordian_atomic_end(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int x, y, seen;

static void *take(void *unused) {
    pthread_mutex_lock(&lock);
    gordian_atomic_begin();
    pthread_mutex_lock(&other);
    x = 1;
    pthread_mutex_unlock(&other);
    pthread_cond_wait(&given, &lock);
    y = 1;
    gordian_atomic_end();
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *give(void *unused) {
    pthread_mutex_lock(&other);
    seen = x;
    pthread_mutex_unlock(&other);
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&given);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, give, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", y);
    return 0;
}
