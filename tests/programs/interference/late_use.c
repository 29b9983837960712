// One thread ends what another one uses, or sets it. Both are on the way to main's assertion, which is reached only if the use does not fail: an order of the
// same scenario in which it does must not hide the others.
//@ check: bug use-after-free,assertion
//@ check --strategy interference: bug use-after-free,assertion
//@ check --strategy interference --max-interferences 0: bug use-after-free
//@ check --cflag=-DDESTROY: bug data-race,lock-misuse,assertion
//@ check --cflag=-DDESTROY --strategy interference: bug data-race,lock-misuse,assertion
//@ check --cflag=-DUNSET --uninit: bug uninitialised,assertion
//@ check --cflag=-DUNSET --uninit --strategy interference: bug uninitialised,assertion
//@ check --cflag=-DAFTERWARDS: bug use-after-free,assertion
//@ check --cflag=-DAFTERWARDS --strategy interference --max-interferences 0: bug assertion
//@ check --cflag=-DAFTERWARDS --strategy interference: bug use-after-free,assertion
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
};

static struct node *kept;
static bool dropped;
static int seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, brief = PTHREAD_MUTEX_INITIALIZER;

static void *drop(void *arg)
{
    pthread_mutex_lock(&lock);
#ifdef DESTROY
    pthread_mutex_destroy(&brief);
#elif defined UNSET
    kept->value = 1;
#else
    free(kept); //~ BUG use-after-free
    dropped = true;
#endif
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *look(void *arg)
{
#ifdef DESTROY
    pthread_mutex_lock(&brief); //~ BUG lock-misuse
    seen = 1;
    pthread_mutex_unlock(&brief);
#elif defined AFTERWARDS
    pthread_mutex_lock(&lock);
    bool late = dropped;
    pthread_mutex_unlock(&lock);
    if (late)
        seen = kept->value;
#else
    pthread_mutex_lock(&lock);
    if (kept->value == 1) //~ BUG uninitialised
        seen = 1;
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    kept = malloc(sizeof *kept);
#ifndef UNSET
    kept->value = 1;
#endif
#ifdef DESTROY
    pthread_create(&threads[0], NULL, drop, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
#else
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, drop, NULL);
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(seen == 2); //~ BUG assertion
}
