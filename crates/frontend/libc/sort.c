// Sorting and searching: stdlib.h and search.h.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((weak))

struct order {
	size_t size; // of an element
	int (*compare)(const void *, const void *, void *);
	void *context;
};

// Stable, and in the order of comparisons of glibc 2.36 (halves n/2 and n - n/2, merged from the front): a program that
// counts or logs its comparisons sees the same.
static void merge_sort(const struct order *order, char *base, size_t n, char *scratch)
{
	if (n < 2)
		return;
	size_t size = order->size, n_left = n / 2, n_right = n - n_left;
	char *left = base, *right = base + n_left * size, *out = scratch;
	merge_sort(order, left, n_left, scratch);
	merge_sort(order, right, n_right, scratch);
	while (n_left && n_right) {
		if (order->compare(left, right, order->context) <= 0) {
			memcpy(out, left, size);
			left += size;
			n_left--;
		} else {
			memcpy(out, right, size);
			right += size;
			n_right--;
		}
		out += size;
	}
	// What is left of the right half already stands at its place.
	memcpy(out, left, n_left * size);
	memcpy(base, scratch, (n - n_right) * size);
}

static void swap_elements(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char byte = a[i];
		a[i] = b[i];
		b[i] = byte;
	}
}

// For when there is no memory: still stable.
static void insertion_sort(const struct order *order, char *base, size_t n)
{
	size_t size = order->size;
	for (size_t i = 1; i < n; i++)
		for (char *p = base + i * size; p > base && order->compare(p - size, p, order->context) > 0; p -= size)
			swap_elements(p - size, p, size);
}

static void sort(const struct order *order, void *base, size_t n)
{
	if (n < 2 || !order->size)
		return;
	size_t bytes = n * order->size;
	if (bytes < 1024) {
		char scratch[1024];
		merge_sort(order, base, n, scratch);
		return;
	}
	char *scratch = malloc(bytes);
	if (scratch)
		merge_sort(order, base, n, scratch);
	else
		insertion_sort(order, base, n);
	free(scratch);
}

API void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *context)
{
	struct order order = { size, compare, context };
	sort(&order, base, n);
}

struct plain_compare {
	int (*compare)(const void *, const void *);
};

static int call_plain(const void *a, const void *b, void *context)
{
	return ((struct plain_compare *)context)->compare(a, b);
}

API void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	struct plain_compare plain = { compare };
	struct order order = { size, call_plain, &plain };
	sort(&order, base, n);
}

API void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *element = (const char *)base + middle * size;
		int sign = compare(key, element);
		if (!sign)
			return (void *)element;
		if (sign < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void *find(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	const char *element = base;
	for (size_t i = 0; i < n; i++, element += size)
		if (!compare(key, element))
			return (void *)element;
	return NULL;
}

API void *lfind(const void *key, const void *base, size_t *n, size_t size, int (*compare)(const void *, const void *))
{
	return find(key, base, *n, size, compare);
}

API void *lsearch(const void *key, void *base, size_t *n, size_t size, int (*compare)(const void *, const void *))
{
	void *found = find(key, base, *n, size, compare);
	if (found)
		return found;
	return memcpy((char *)base + (*n)++ * size, key, size);
}

// insque and remque see two links at the front of whatever the program's elements are.
struct links {
	struct links *next, *previous;
};

API void insque(void *element, void *after)
{
	struct links *node = element, *previous = after;
	if (!previous) {
		*node = (struct links){ NULL, NULL };
		return;
	}
	node->next = previous->next;
	node->previous = previous;
	previous->next = node;
	if (node->next)
		node->next->previous = node;
}

API void remque(void *element)
{
	struct links *node = element;
	if (node->next)
		node->next->previous = node->previous;
	if (node->previous)
		node->previous->next = node->next;
}
