// Flexible array members, variable length arrays, alloca, compound literals, designated initialisers, many dimensions.
//@ native
#include <alloca.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
	int length;
	char kind;
	short data[];
};

static struct packet *make(char kind, int n)
{
	struct packet *p = malloc(sizeof *p + (size_t)n * sizeof *p->data);
	p->length = n;
	p->kind = kind;
	for (int i = 0; i < n; i++)
		p->data[i] = (short)(i * i);
	return p;
}

static int trace(int n, int matrix[n][n])
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += matrix[i][i];
	return sum;
}

static void variable(int n)
{
	int matrix[n][n];
	char row[2 * n + 1];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			matrix[i][j] = i * n + j;
	memset(row, '-', sizeof row - 1);
	row[sizeof row - 1] = 0;
	printf("%s %d %zu\n", row, trace(n, matrix), sizeof matrix);
}

struct point {
	int x, y;
};

static int dot(struct point a, const struct point *b)
{
	return a.x * b->x + a.y * b->y;
}

static int first_of(const int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s = s * 10 + p[i];
	return s;
}

int main(void)
{
	struct packet *p = make('k', 6);
	printf("%zu %zu %c %d %d\n", sizeof *p, offsetof(struct packet, data), p->kind, p->data[5], p->length);
	free(p);
	for (int n = 1; n < 6; n += 2)
		variable(n);
	char *parts[4];
	for (int i = 0; i < 4; i++) {
		parts[i] = alloca((size_t)i + 2);
		memset(parts[i], 'a' + i, (size_t)i + 1);
		parts[i][i + 1] = 0;
	}
	for (int i = 0; i < 4; i++)
		printf("%s ", parts[i]);
	printf("%d\n", dot((struct point){ 2, 3 }, &(struct point){ .y = 5, .x = 7 }));
	printf("%d\n", first_of((int[]){ 4, 3, 2, 1 }, 4));
	int sparse[10] = { [3] = 30, 31, [8] = 80, [5 ... 6] = 9 };
	for (int i = 0; i < 10; i++)
		printf("%d ", sparse[i]);
	struct {
		struct point corner[2];
		const char *name;
	} box = { .corner = { [0] = { 1, 2 } }, .corner[1].x = 4, .name = "box" };
	printf("%d %d %d %s\n", box.corner[0].x, box.corner[0].y, box.corner[1].x, box.name);
	int cube[2][3][4], n = 0;
	for (int *q = &cube[0][0][0]; q < &cube[0][0][0] + 24; q++)
		*q = n++;
	int(*slice)[4] = cube[1];
	printf("%d %d %td %zu\n", cube[1][2][3], slice[1][2], &cube[1] - &cube[0], sizeof cube[0]);
	static const char names[][6] = { "zero", "one", "two", "three" };
	printf("%zu %s %c\n", sizeof names, names[3], 2 [names][1]);
	return 0;
}
