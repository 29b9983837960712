// An auto-reset event: set, wait, reset by the waiter. Ping and pong each wait for the other's event.
//@ check --strategy exhaustive: safe
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

struct event {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool is_set;
};

static struct event ping = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
static struct event pong = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
static int ball;

static void set(struct event *event)
{
    pthread_mutex_lock(&event->lock);
    event->is_set = true;
    pthread_cond_signal(&event->cond);
    pthread_mutex_unlock(&event->lock);
}

static void wait(struct event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->is_set)
        pthread_cond_wait(&event->cond, &event->lock);
    event->is_set = false;
    pthread_mutex_unlock(&event->lock);
}

static void *player(void *arg)
{
    wait(&ping);
    ball++;
    set(&pong);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, player, NULL);
    ball = 1;
    set(&ping);
    wait(&pong);
    assert(ball == 2);
    pthread_join(thread, NULL);
    return 0;
}
