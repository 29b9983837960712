// Function pointers: tables, callbacks with context, returned from functions, in structures, compared.
//@ native
#include <stdio.h>
#include <string.h>

typedef int (*binary)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }

static const struct {
	const char *name;
	binary apply;
} operations[] = { { "add", add }, { "sub", subtract }, { "mul", multiply } };

static binary find(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(operations[i].name, name))
			return operations[i].apply;
	return NULL;
}

static int (*choose(int which))(int, int)
{
	static binary const table[2] = { add, multiply };
	return table[which & 1];
}

static int fold(const int *values, int n, int start, binary step)
{
	for (int i = 0; i < n; i++)
		start = step(start, values[i]);
	return start;
}

struct shape;
struct methods {
	double (*area)(const struct shape *);
	void (*scale)(struct shape *, double);
	const char *name;
};
struct shape {
	const struct methods *methods;
	double a, b;
};

static double square_area(const struct shape *s) { return s->a * s->a; }
static double rectangle_area(const struct shape *s) { return s->a * s->b; }
static void scale_both(struct shape *s, double k)
{
	s->a *= k;
	s->b *= k;
}
static const struct methods square = { square_area, scale_both, "square" }, rectangle = { rectangle_area, scale_both, "rectangle" };

static void each(int from, int to, void (*visit)(int, void *), void *context)
{
	while (from < to)
		visit(from++, context);
}

static void add_square(int i, void *context)
{
	*(long *)context += (long)i * i;
}

int main(void)
{
	static const int values[] = { 1, 2, 3, 4, 5 };
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		printf("%s: %d %d\n", operations[i].name, operations[i].apply(7, 3), fold(values, 5, 1, operations[i].apply));
	printf("%d %d %d\n", find("mul") == multiply, find("div") == NULL, find("add") == choose(0));
	printf("%d %d\n", choose(0)(6, 7), (*choose(1))(6, 7));
	struct shape shapes[] = { { &square, 3, 0 }, { &rectangle, 2, 5 } };
	for (int i = 0; i < 2; i++) {
		shapes[i].methods->scale(&shapes[i], 2);
		printf("%s %g\n", shapes[i].methods->name, shapes[i].methods->area(&shapes[i]));
	}
	long total = 0;
	each(1, 11, add_square, &total);
	printf("%ld\n", total);
	void (*generic)(void) = (void (*)(void))add;
	printf("%d\n", ((binary)generic)(20, 22));
	return 0;
}
