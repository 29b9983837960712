#ifndef TABLE_H
#define TABLE_H

struct entry {
    char key[8];
    int value;
    struct entry *next;
};

/* Belongs to one thread at a time; no locks. */
struct table {
    struct entry *buckets[4];
};

unsigned hash(const char *key);
void table_set(struct table *table, const char *key, int value);
void table_add(struct table *table, const char *key, int value);
void table_delete(struct table *table, const char *key);
/* -1 if there is no such key. */
int table_get(const struct table *table, const char *key);
void table_free(struct table *table);

#endif
