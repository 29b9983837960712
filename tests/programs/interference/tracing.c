// A library that traces threads, like ctrace: every thread has a record that says which units it traces and up to which level. Two drivers use it,
// each with a thread that traces and one that changes what is traced.
// Two threads, one input in driver A, two in driver B.
// A: the stream is closed after a message was let through and before it is written. Needs one interference, `stream`, and a message up to the
// level.
// B: units and level are set one after the other, so that a message comes through that neither the old settings nor the new ones want. Needs one
// interference, `level`, and a message of a unit that is traced before and of a level that is traced afterwards. The paper (Farzan, Holzer, Razavi
// and Veith, 2013) found a bug with either driver and says nothing more of them.
//@ check: bug assertion executions=4 blocked=0 message="to != NULL"
//@ check --cflag=-DFIXED: safe executions=5 blocked=0
//@ check --cflag=-DDRIVER_B: bug assertion executions=10 blocked=0 message="unit == NETWORK"
//@ check --cflag=-DDRIVER_B --cflag=-DFIXED: safe executions=5 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=5
//@ check --strategy interference --max-interferences 1: bug assertion executions=7
//@ check --cflag=-DFIXED --strategy interference: safe executions=6
//@ check --cflag=-DDRIVER_B --strategy interference --max-interferences 0: bounded executions=5
//@ check --cflag=-DDRIVER_B --strategy interference --max-interferences 1: bug assertion executions=9
//@ check --cflag=-DDRIVER_B --cflag=-DFIXED --strategy interference: safe executions=7
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum unit { DISK = 1, NETWORK = 2 };
enum level { FAILURE = 1, WARNING, DETAIL };
enum { MOST_THREADS = 2, ROOM = 4 };

struct record {
    const char *name;
    atomic_int units, level;
};

struct stream {
    int n_messages;
    const char *names[ROOM];
};

static struct record records[MOST_THREADS] = {{"worker", DISK | NETWORK, WARNING}, {"control", NETWORK, FAILURE}};
static struct stream file;
static _Atomic(struct stream *) stream = &file;
static atomic_bool enabled = true;

#ifdef FIXED
static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;

static void lock_settings(void)
{
    pthread_mutex_lock(&settings);
}

static void unlock_settings(void)
{
    pthread_mutex_unlock(&settings);
}
#else
static void lock_settings(void) {}
static void unlock_settings(void) {}
#endif

/// Whether the message was written.
static bool trace(struct record *record, int unit, int level)
{
    lock_settings();
    bool wanted = enabled && (record->units & unit) && level <= record->level;
    if (wanted) {
        struct stream *to = stream;
        assert(to != NULL);
        to->names[to->n_messages++ % ROOM] = record->name;
    }
    unlock_settings();
    return wanted;
}

#ifndef DRIVER_B
static void trace_close(void)
{
    lock_settings();
    enabled = false;
    stream = NULL;
    unlock_settings();
}

static void *work(void *arg)
{
    trace(&records[0], DISK, gordian_range(FAILURE, DETAIL, "level"));
    return arg;
}

static void *control(void *arg)
{
    trace(&records[1], NETWORK, WARNING);
    trace_close();
    return arg;
}
#else
static void trace_set(struct record *record, int units, int level)
{
    lock_settings();
    record->units = units;
    record->level = level;
    unlock_settings();
}

static void *work(void *arg)
{
    int unit = gordian_bool("network") ? NETWORK : DISK, level = gordian_range(FAILURE, DETAIL, "level");
    if (trace(&records[0], unit, level) && level == DETAIL)
        assert(unit == NETWORK);
    return arg;
}

static void *control(void *arg)
{
    trace_set(&records[0], NETWORK, DETAIL);
    return arg;
}
#endif

int main(void)
{
    pthread_t worker, controller;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&controller, NULL, control, NULL);
    pthread_join(worker, NULL);
    pthread_join(controller, NULL);
    return 0;
}
