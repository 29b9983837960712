// malloc, calloc, realloc, aligned_alloc, free: contents kept, zeroing, alignment, many blocks, realloc(NULL) and free(NULL).
//@ native
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena {
	char *base;
	size_t used, size;
};

static void *take(struct arena *a, size_t n, size_t align)
{
	size_t start = (a->used + align - 1) & ~(align - 1);
	if (start + n > a->size)
		return NULL;
	a->used = start + n;
	return a->base + start;
}

int main(void)
{
	int *zeroed = calloc(100, sizeof *zeroed);
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += zeroed[i];
	printf("%d\n", sum);
	for (int i = 0; i < 100; i++)
		zeroed[i] = i;
	zeroed = realloc(zeroed, 1000 * sizeof *zeroed);
	for (int i = 0; i < 100; i++)
		sum += zeroed[i];
	zeroed = realloc(zeroed, 10 * sizeof *zeroed);
	printf("%d %d\n", sum, zeroed[9]);
	free(zeroed);
	free(NULL);
	char *text = realloc(NULL, 6);
	strcpy(text, "hello");
	printf("%s\n", text);
	free(text);

	void *aligned = aligned_alloc(64, 128), *posix = NULL;
	printf("%d %d %d\n", ((uintptr_t)aligned & 63) == 0, posix_memalign(&posix, 256, 100), ((uintptr_t)posix & 255) == 0);
	memset(aligned, 0xaa, 128);
	memset(posix, 0xbb, 100);
	free(aligned);
	free(posix);

	void *blocks[64];
	int aligned_blocks = 0;
	for (int i = 0; i < 64; i++) {
		blocks[i] = malloc((size_t)i * 3 + 1);
		memset(blocks[i], i, (size_t)i * 3 + 1);
		aligned_blocks += ((uintptr_t)blocks[i] & 15) == 0;
	}
	int good = 0;
	for (int i = 0; i < 64; i += 2) {
		free(blocks[i]);
		blocks[i] = NULL;
	}
	for (int i = 1; i < 64; i += 2) {
		const unsigned char *p = blocks[i];
		good += p[0] == i && p[i * 3] == i;
		free(blocks[i]);
	}
	printf("%d %d\n", aligned_blocks, good);

	struct arena arena = { malloc(256), 0, 256 };
	char *c = take(&arena, 1, 1);
	double *d = take(&arena, sizeof *d * 4, 8);
	*c = 'x';
	d[3] = 2.5;
	printf("%c %g %zu %d\n", *c, d[3], arena.used, take(&arena, 1000, 8) == NULL);
	free(arena.base);

	char **table = malloc(10 * sizeof *table), *joined = NULL;
	size_t length = 0;
	for (int i = 0; i < 10; i++) {
		if (asprintf(&table[i], "item-%d", i * i) < 0)
			return 1;
		length += strlen(table[i]) + 1;
	}
	joined = calloc(length + 1, 1);
	for (int i = 0; i < 10; i++) {
		strcat(strcat(joined, table[i]), i < 9 ? "," : "");
		free(table[i]);
	}
	printf("%s\n", joined);
	free(joined);
	free(table);
	void *huge = malloc(SIZE_MAX / 2);
	printf("%d\n", huge == NULL);
	return 0;
}
