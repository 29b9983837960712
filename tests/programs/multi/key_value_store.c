// A key-value store that takes its commands from standard input: one reader deals them to two workers by the key's hash,
// so that commands for one key keep their order; each worker has its own queue and its own table.
//@ check --strategy random --runs 20 --leaks: bounded
//@ check --strategy pct --runs 20: bounded
//@ stdin: "set a 1\nset b 2\nadd a 5\nadd b 1\ndel b\nset c 9\n"
//@ files: key_value_store/table.c key_value_store/worker.c
#include "key_value_store/worker.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 2 };

int main(void)
{
    struct worker workers[WORKERS];
    char verb[8], key[8];
    int value, n_commands = 0;
    for (int i = 0; i < WORKERS; i++)
        worker_start(&workers[i]);
    while (scanf("%7s %7s", verb, key) == 2) {
        struct worker *worker = &workers[hash(key) % WORKERS];
        value = 0;
        if (strcmp(verb, "del") != 0 && scanf("%d", &value) != 1)
            break;
        worker_send(worker, verb[0], key, value);
        n_commands++;
    }
    for (int i = 0; i < WORKERS; i++)
        worker_stop(&workers[i]);
    assert(n_commands == 6);
    assert(table_get(&workers[hash("a") % WORKERS].table, "a") == 6);
    assert(table_get(&workers[hash("b") % WORKERS].table, "b") == -1);
    assert(table_get(&workers[hash("c") % WORKERS].table, "c") == 9);
    for (int i = 0; i < WORKERS; i++)
        table_free(&workers[i].table);
    return 0;
}
