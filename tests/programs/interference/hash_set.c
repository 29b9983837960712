// A hash set like Java's, whose methods take a lock each. An iterator takes it for every step anew, and fails if the set was changed since the
// iterator was made: Java throws ConcurrentModificationException there. Adding a key that is in the set already changes nothing. The paper
// (Razavi, Farzan and Holzer, 2012) has a test of such a set and does not name the methods.
// Two threads with one method each, one input: the key. Needs one interference, as there: the number of modifications at the assertion.
//@ check: bug assertion executions=16 blocked=0
//@ check --cflag=-DFIXED: safe executions=8 blocked=0
//@ check --strategy interference --max-interferences 0: bounded executions=7
//@ check --strategy interference --max-interferences 1: bug assertion executions=9
//@ check --cflag=-DFIXED --strategy interference: safe executions=14
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { BUCKETS = 2, ROOM = 4 };

struct entry {
    int key;
    struct entry *next;
};

struct set {
    pthread_mutex_t lock;
    int n_entries, n_modifications;
    struct entry *buckets[BUCKETS], entries[ROOM];
};

struct iterator {
    int n_modifications, bucket;
    struct entry *next;
};

static struct set set = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .n_entries = 2,
    .buckets = {&set.entries[0], &set.entries[1]},
    .entries = {{4, NULL}, {7, NULL}},
};

static bool add(struct set *set, int key)
{
    pthread_mutex_lock(&set->lock);
    struct entry **place = &set->buckets[key % BUCKETS != 0];
    while (*place && (*place)->key != key)
        place = &(*place)->next;
    bool is_new = !*place;
    if (is_new) {
        struct entry *entry = &set->entries[set->n_entries++];
        entry->key = key;
        *place = entry;
        set->n_modifications++;
    }
    pthread_mutex_unlock(&set->lock);
    return is_new;
}

/// The next entry, or NULL. The lock is held.
static struct entry *next(const struct set *set, struct iterator *iterator)
{
    assert(set->n_modifications == iterator->n_modifications); //~ BUG assertion
    struct entry *entry = iterator->next;
    while (!entry && iterator->bucket < BUCKETS)
        entry = set->buckets[iterator->bucket++];
    iterator->next = entry ? entry->next : NULL;
    return entry;
}

static void *sum(void *arg)
{
    int total = 0;
    pthread_mutex_lock(&set.lock);
    struct iterator iterator = {set.n_modifications, 0, NULL};
    for (struct entry *entry; (entry = next(&set, &iterator));) {
        total += entry->key;
#ifndef FIXED
        pthread_mutex_unlock(&set.lock);
        pthread_mutex_lock(&set.lock);
#endif
    }
    pthread_mutex_unlock(&set.lock);
    assert(total >= 4 + 7);
    return arg;
}

static void *add_one(void *arg)
{
    add(&set, gordian_range(0, 9, "key"));
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, sum, NULL);
    pthread_create(&second, NULL, add_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
