// The length of the source is asked for in one critical section and used in the next: the source may be cleared in between,
// and the append takes characters that are no longer there.
//@ check --strategy exhaustive: bug assertion
//@ check --strategy random --runs 300: bug assertion
#include <assert.h>
#include <pthread.h>

struct buffer {
    pthread_mutex_t lock;
    int length;
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 5};

static int length_of(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    int length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static void get_chars(struct buffer *buffer, int n)
{
    pthread_mutex_lock(&buffer->lock);
    assert(n <= buffer->length); //~ BUG assertion
    pthread_mutex_unlock(&buffer->lock);
}

static void *clear(void *arg)
{
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    pthread_mutex_unlock(&source.lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    int n = length_of(&source);
    get_chars(&source, n);
    pthread_join(thread, NULL);
    return 0;
}
