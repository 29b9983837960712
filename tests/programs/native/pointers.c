// Pointers: arithmetic, comparison, differences, const and void, pointers to arrays, to pointers, through uintptr_t, one past the end.
//@ native
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct outer {
	int before;
	struct inner {
		short s;
		long l;
	} in;
	char after[3];
};

#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

static void fill(int **rows, int n, int m)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			rows[i][j] = i * 10 + j;
}

static const int *largest(const int *from, const int *to)
{
	const int *best = from;
	for (; from != to; from++)
		if (*from > *best)
			best = from;
	return best;
}

static void set(void *where, size_t size, unsigned long value)
{
	for (unsigned char *p = where; size--; value >>= 8)
		*p++ = (unsigned char)value;
}

int main(void)
{
	int array[10] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 };
	int *p = array, *end = array + 10;
	printf("%td %td %d\n", end - p, &array[7] - &array[2], p < end);
	int first = *p++, third = *++p, kept = (*p)++;
	printf("%d %d %d %d\n", first, third, kept, *p);
	printf("%d %d %d\n", p[-1], *(p + 3), 2 [array]);
	printf("%td\n", largest(array, end) - array);
	for (p = end; p-- > array;)
		printf("%d ", *p);
	printf("\n");
	struct outer o = { 1, { 2, 3 }, "ab" };
	struct inner *in = &o.in;
	printf("%d %zu %zu\n", CONTAINER(in, struct outer, in)->before, offsetof(struct outer, in.l), offsetof(struct outer, after[1]));
	int *rows[3], storage[3][4];
	for (int i = 0; i < 3; i++)
		rows[i] = storage[2 - i];
	fill(rows, 3, 4);
	int(*matrix)[4] = storage;
	printf("%d %d %d\n", matrix[0][3], (*(matrix + 1))[2], *(&storage[2][0] + 1));
	uintptr_t number = (uintptr_t)&array[4];
	number += sizeof(int);
	printf("%d %d\n", *(int *)number, (number & (sizeof(int) - 1)) == 0);
	int **link = malloc(sizeof *link), *target = malloc(sizeof *target);
	*link = target;
	**link = 42;
	printf("%d %d\n", *target, *link == target);
	free(*link);
	free(link);
	unsigned long word = 0;
	set(&word, 3, 0xabcdef12);
	printf("%lx\n", word);
	const char *strings[] = { "one", "two", "three", NULL }, **s = strings;
	while (*s) {
		printf("%c%c ", **s, (*s)[1]);
		s++;
	}
	printf("%td\n", s - strings);
	char *text = (char[]){ "mutable" };
	text[0] = 'M';
	void *generic = text;
	printf("%s %s\n", (char *)generic, &text[3]);
	int (*const print)(const char *, ...) = printf;
	print("%d %d\n", !generic, NULL == (void *)0);
	return 0;
}
