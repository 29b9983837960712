// Java's StringBuffer: every method takes the lock of its buffer, which a thread may take several times. `append` asks the other buffer for its
// length and then for so many characters, and another thread can delete some of them in between (Razavi, Farzan and Holzer, 2012).
// Two threads with one method each, two inputs: what is deleted. Needs one interference, as in the paper: the length at the assertion.
//@ check: bug assertion executions=27 blocked=0
//@ check --cflag=-DFIXED: safe executions=19 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=11
//@ check --strategy interference --max-interferences 1: bug assertion executions=12
//@ check --cflag=-DFIXED --strategy interference: bounded executions=15
#define _GNU_SOURCE
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <string.h>

enum { ROOM = 8 };

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[ROOM];
};

static struct buffer source = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 4, "name"};
static struct buffer target = {PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, 2, "a "};

static int length_of(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    int length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static void get_chars(struct buffer *buffer, int end, char *to)
{
    pthread_mutex_lock(&buffer->lock);
    assert(end <= buffer->length); //~ BUG assertion
    memcpy(to, buffer->text, end);
    pthread_mutex_unlock(&buffer->lock);
}

/// Removes the characters from `start` up to `end`, as many of them as there are.
static void delete(struct buffer *buffer, int start, int end)
{
    pthread_mutex_lock(&buffer->lock);
    if (end > buffer->length)
        end = buffer->length;
    if (start < end) {
        for (int i = end; i < buffer->length; i++)
            buffer->text[start + i - end] = buffer->text[i];
        buffer->length -= end - start;
    }
    pthread_mutex_unlock(&buffer->lock);
}

static void append(struct buffer *to, struct buffer *from)
{
    pthread_mutex_lock(&to->lock);
#ifdef FIXED
    pthread_mutex_lock(&from->lock);
#endif
    int length = length_of(from);
    get_chars(from, length, to->text + to->length);
#ifdef FIXED
    pthread_mutex_unlock(&from->lock);
#endif
    to->length += length;
    pthread_mutex_unlock(&to->lock);
}

static void *append_source(void *arg)
{
    append(&target, &source);
    return arg;
}

static void *delete_some(void *arg)
{
    int start = gordian_range(0, 4, "start"), end = gordian_range(0, 4, "end");
    delete(&source, start, end);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, append_source, NULL);
    pthread_create(&second, NULL, delete_some, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
