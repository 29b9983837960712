// Global initialisers with address arithmetic, weak and overridden symbols, tentative definitions, string pooling, const tables.
//@ native
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct node {
	const char *name;
	struct node *next;
	int *value;
};

static int numbers[10] = { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 };
static int *middle = numbers + 5;
static int *const past = &numbers[10];
static ptrdiff_t distance = &numbers[7] - &numbers[2];
static const char *tail = &"prefix:suffix"[7];
static struct node list[3] = {
	{ "first", &list[1], &numbers[1] },
	{ "second", &list[2], numbers + 2 },
	{ "third", NULL, &*(numbers + 3) },
};
static struct {
	char pad;
	struct node *entry;
	uintptr_t offset;
} indirect = { 'p', list + 2, offsetof(struct node, value) };
static int *inner_value[] = { &numbers[9], &numbers[0] };
static const char *const words[] = { "alpha", "beta", NULL };
static int tentative;
static int tentative;
int tentative_extern;
static float table[2][3] = { { 1, 2 }, { [2] = 6 } };
static char message[] = "array of characters";
static long sum_of_sizes = sizeof numbers + sizeof message + sizeof(struct node);
static int (*print)(const char *, ...) = printf;
static unsigned char all_ones = (unsigned char)-1;
static double constant = 1.0 / 3 + (1 << 4);

__attribute__((weak)) int maybe_missing(void);
__attribute__((weak)) int weak_default(void)
{
	return 1;
}
__attribute__((weak)) extern int missing_variable;

int main(void)
{
	printf("%d %d %td %s\n", *middle, past[-1], distance, tail);
	for (struct node *n = list; n; n = n->next)
		printf("%s %d\n", n->name, *n->value);
	printf("%c %s %d\n", indirect.pad, indirect.entry->name, **(int **)((char *)indirect.entry + indirect.offset));
	printf("%d %d\n", *inner_value[0], *inner_value[1]);
	for (const char *const *w = words; *w; w++)
		printf("%s ", *w);
	tentative += 4;
	tentative_extern -= 4;
	printf("%d %d\n", tentative, tentative_extern);
	printf("%g %g %g\n", table[0][1], table[0][2], table[1][2]);
	message[0] = 'A';
	print("%s %ld %u %.6f\n", message, sum_of_sizes, all_ones, constant);
	printf("%d %d %d\n", maybe_missing ? 1 : 0, weak_default(), &missing_variable == NULL);
	return 0;
}
