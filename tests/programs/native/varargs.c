// Variable arguments: integers, doubles, pointers, structures by value, va_copy, forwarding, many of each.
//@ native
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small {
	int a, b;
};
struct mixed {
	double d;
	int i;
};
struct large {
	long words[5];
};
struct floats {
	float x, y;
};

static double sum(const char *kinds, ...)
{
	va_list args;
	va_start(args, kinds);
	double total = 0;
	for (; *kinds; kinds++) {
		switch (*kinds) {
		case 'i':
			total += va_arg(args, int);
			break;
		case 'l':
			total += (double)va_arg(args, long long);
			break;
		case 'd':
			total += va_arg(args, double);
			break;
		case 's':
			total += (double)strlen(va_arg(args, const char *));
			break;
		case 'S': {
			struct small s = va_arg(args, struct small);
			total += s.a * s.b;
			break;
		}
		case 'M': {
			struct mixed m = va_arg(args, struct mixed);
			total += m.d * m.i;
			break;
		}
		case 'L': {
			struct large l = va_arg(args, struct large);
			for (int i = 0; i < 5; i++)
				total += (double)l.words[i];
			break;
		}
		case 'F': {
			struct floats f = va_arg(args, struct floats);
			total += f.x - f.y;
			break;
		}
		}
	}
	va_end(args);
	return total;
}

static int twice(int n, ...)
{
	va_list first, second;
	va_start(first, n);
	va_copy(second, first);
	int total = 0, product = 1;
	for (int i = 0; i < n; i++)
		total += va_arg(first, int);
	for (int i = 0; i < n; i++)
		product *= va_arg(second, int);
	va_end(second);
	va_end(first);
	return total * 1000 + product;
}

static int consume(int n, va_list *args)
{
	int total = 0;
	while (n--)
		total = total * 10 + va_arg(*args, int);
	return total;
}

static void split(int n, ...)
{
	va_list args;
	va_start(args, n);
	int front = consume(n, &args), back = consume(n, &args);
	va_end(args);
	printf("%d %d\n", front, back);
}

int main(void)
{
	printf("%g\n", sum("iiii", 1, 2, 3, 4));
	printf("%g\n", sum("dididi", 1.5, 1, 2.5, 2, 3.5, 3));
	printf("%g\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	printf("%g\n", sum("dddddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.));
	printf("%g\n", sum("slsl", "four", 1ll << 33, "", -5ll));
	printf("%g\n", sum("SMLF", (struct small){ 3, 4 }, (struct mixed){ 2.5, 4 }, (struct large){ { 1, 2, 3, 4, 5 } }, (struct floats){ 9, 2 }));
	printf("%g\n", sum("iiiiiSdMMMMMMMMMi", 1, 1, 1, 1, 1, (struct small){ 5, 6 }, 0.5, (struct mixed){ 1, 1 }, (struct mixed){ 1, 2 },
			   (struct mixed){ 1, 3 }, (struct mixed){ 1, 4 }, (struct mixed){ 1, 5 }, (struct mixed){ 1, 6 }, (struct mixed){ 1, 7 },
			   (struct mixed){ 1, 8 }, (struct mixed){ 1, 9 }, 1000));
	printf("%d\n", twice(4, 1, 2, 3, 4));
	split(4, 1, 2, 3, 4, 5, 6, 7, 8);
	char c = 'c';
	short s = -3;
	float f = 0.25f;
	printf("%c %d %g\n", c, s, f);
	return 0;
}
