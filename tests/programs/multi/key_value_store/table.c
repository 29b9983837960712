#include "table.h"

#include <stdlib.h>
#include <string.h>

unsigned hash(const char *key)
{
    unsigned h = 5381;
    for (; *key != '\0'; key++)
        h = h * 33 + (unsigned char)*key;
    return h;
}

static struct entry **find(const struct table *table, const char *key)
{
    struct entry **link = (struct entry **)&table->buckets[hash(key) / 2 % 4];
    while (*link != NULL && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

void table_set(struct table *table, const char *key, int value)
{
    struct entry **link = find(table, key);
    if (*link == NULL) {
        *link = calloc(1, sizeof **link);
        if (*link == NULL)
            abort();
        strcpy((*link)->key, key);
    }
    (*link)->value = value;
}

void table_add(struct table *table, const char *key, int value)
{
    struct entry **link = find(table, key);
    if (*link != NULL)
        (*link)->value += value;
}

void table_delete(struct table *table, const char *key)
{
    struct entry **link = find(table, key);
    struct entry *entry = *link;
    if (entry != NULL) {
        *link = entry->next;
        free(entry);
    }
}

int table_get(const struct table *table, const char *key)
{
    struct entry *entry = *find(table, key);
    return entry == NULL ? -1 : entry->value;
}

void table_free(struct table *table)
{
    for (int i = 0; i < 4; i++) {
        while (table->buckets[i] != NULL) {
            struct entry *entry = table->buckets[i];
            table->buckets[i] = entry->next;
            free(entry);
        }
    }
}
