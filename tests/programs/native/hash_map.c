// A hash map from strings to numbers: open addressing with tombstones, growth, removal, FNV hash.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	char *key; // NULL: never used
	int value;
	int dead;
};
struct map {
	struct slot *slots;
	size_t capacity, used, live;
};

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325;
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3;
	return h;
}

static struct slot *locate(struct map *m, const char *key)
{
	struct slot *grave = NULL;
	for (size_t i = hash(key) & (m->capacity - 1);; i = (i + 1) & (m->capacity - 1)) {
		struct slot *s = &m->slots[i];
		if (!s->key)
			return grave ? grave : s;
		if (s->dead)
			grave = grave ? grave : s;
		else if (!strcmp(s->key, key))
			return s;
	}
}

static void put(struct map *m, const char *key, int value);

static void grow(struct map *m)
{
	struct map old = *m;
	*m = (struct map){ .capacity = old.capacity ? old.capacity * 2 : 8 };
	m->slots = calloc(m->capacity, sizeof *m->slots);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].key && !old.slots[i].dead)
			put(m, old.slots[i].key, old.slots[i].value);
		free(old.slots[i].key);
	}
	free(old.slots);
}

static void put(struct map *m, const char *key, int value)
{
	if (4 * (m->used + 1) > 3 * m->capacity)
		grow(m);
	struct slot *s = locate(m, key);
	if (!s->key || s->dead) {
		m->used += !s->key;
		m->live++;
		free(s->key);
		*s = (struct slot){ .key = strdup(key) };
	}
	s->value = value;
}

static int *get(struct map *m, const char *key)
{
	struct slot *s = locate(m, key);
	return s->key && !s->dead ? &s->value : NULL;
}

static int drop(struct map *m, const char *key)
{
	struct slot *s = locate(m, key);
	if (!s->key || s->dead)
		return 0;
	s->dead = 1;
	m->live--;
	return 1;
}

int main(void)
{
	struct map m = { 0 };
	char key[16];
	for (int i = 0; i < 300; i++) {
		snprintf(key, sizeof key, "key%d", i * 7 % 211);
		put(&m, key, i);
	}
	printf("%zu live, capacity %zu\n", m.live, m.capacity);
	int dropped = 0, found = 0;
	for (int i = 0; i < 300; i += 3) {
		snprintf(key, sizeof key, "key%d", i);
		dropped += drop(&m, key);
	}
	long sum = 0;
	for (int i = 0; i < 300; i++) {
		snprintf(key, sizeof key, "key%d", i);
		int *value = get(&m, key);
		found += value != NULL;
		sum += value ? *value : 0;
	}
	put(&m, "key3", -1);
	printf("%d dropped, %d found, sum %ld, key3 %d, key6 %d\n", dropped, found, sum, *get(&m, "key3"), get(&m, "key6") != NULL);
	printf("%016llx\n", (unsigned long long)hash("gordian"));
	for (size_t i = 0; i < m.capacity; i++)
		free(m.slots[i].key);
	free(m.slots);
	return (int)(m.live & 0x7f);
}
