// Appending one shared string buffer to another with both locks held throughout: length and content belong together.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[8];
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 3, "abc"}, target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static void append(struct buffer *to, struct buffer *from)
{
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock);
    memcpy(to->text + to->length, from->text, (size_t)from->length);
    to->length += from->length;
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_unlock(&to->lock);
}

static void *clear_source(void *arg)
{
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    source.text[0] = '\0';
    pthread_mutex_unlock(&source.lock);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, clear_source, NULL);
    append(&target, &source);
    pthread_join(thread, NULL);
    assert((target.length == 3 && strcmp(target.text, "abc") == 0) || (target.length == 0 && target.text[0] == '\0'));
    return 0;
}
