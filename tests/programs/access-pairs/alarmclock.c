// Clients ask a clock to be woken at a time. The list of alarms is taken apart by the clock without a lock, so a client that puts itself at the
// front meanwhile finds no list any more.
//@ check --races ignore --stop-at-first --strategy value-schedule: bug null-dereference
#include <pthread.h>

#ifndef N
#define N 2 // ticks
#endif


struct alarm {
    int time;
    struct alarm *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t tick = PTHREAD_COND_INITIALIZER;
static struct alarm *alarms;
static int now, stopped;

static void set_alarm(struct alarm *alarm, int ticks) {
    pthread_mutex_lock(&lock);
    alarm->time = now + ticks;
    alarm->next = 0;
    if (alarms == 0) {
        alarms = alarm;
    } else {
        struct alarm *last = alarms;
        while (last->next != 0) //~ BUG null-dereference
            last = last->next;
        last->next = alarm;
    }
    while (now < alarm->time && !stopped)
        pthread_cond_wait(&tick, &lock);
    pthread_mutex_unlock(&lock);
}

static struct alarm slots[2];

static void *client(void *number) {
    set_alarm(&slots[(long)number], 1);
    return 0;
}

static void remove_due(void) {
    while (alarms != 0 && alarms->time <= now)
        alarms = alarms->next;
}

static void *clock_thread(void *unused) {
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        now++;
        pthread_cond_broadcast(&tick);
        pthread_mutex_unlock(&lock);
        remove_due();
    }
    pthread_mutex_lock(&lock);
    stopped = 1;
    pthread_cond_broadcast(&tick);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, clock_thread, 0);
    pthread_create(&threads[1], 0, client, (void *)0);
    pthread_create(&threads[2], 0, client, (void *)1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}
