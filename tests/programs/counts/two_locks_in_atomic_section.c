// An atomic section that takes two locks stops where one of them is held, and what it touches behind that depends on it. The thread's
// section S comes before `outer` is locked by main (A), while it is held (B), or after (C); the other thread's critical section T is
// before the section goes past `inner`, meets it within, or comes after. A, B and C each with T first, T within and T last: 9.
//@ check: safe executions=9 blocked=0
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void touch(void)
{
    pthread_mutex_lock(&inner);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&inner);
}

static void *section(void *arg)
{
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&outer);
    touch();
    pthread_mutex_unlock(&outer);
    __VERIFIER_atomic_end();
    return arg;
}

static void *other(void *arg)
{
    touch();
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, section, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}
