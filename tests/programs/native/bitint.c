// _BitInt: odd widths, wrap-around, sign extension, shifts, wide arithmetic, in structures and as arguments.
//@ native
#include <stdio.h>

typedef unsigned _BitInt(5) u5;
typedef _BitInt(12) s12;
typedef unsigned _BitInt(100) u100;

struct holder {
	u5 small;
	s12 middle;
	u100 large;
};

static u100 fibonacci(int n)
{
	u100 a = 0, b = 1;
	while (n--) {
		u100 next = a + b;
		a = b;
		b = next;
	}
	return a;
}

static void print(u100 x)
{
	char digits[32];
	int n = 0;
	do {
		digits[n++] = (char)('0' + (int)(x % 10));
		x /= 10;
	} while (x);
	while (n)
		putchar(digits[--n]);
	putchar('\n');
}

static s12 average(s12 a, s12 b)
{
	return (s12)(((int)a + (int)b) / 2);
}

int main(void)
{
	u5 x = 30;
	for (int i = 0; i < 4; i++)
		printf("%d ", (int)x++);
	printf("%d\n", (int)(u5)(x * 17));
	s12 y = 2047;
	printf("%d %d %d\n", (int)y, (int)(s12)-2048, (int)average(-2048, 1000));
	printf("%d %d\n", (int)(y >> 3), (int)((s12)-2048 >> 4));
	print(fibonacci(140));
	print(((u100)1 << 99) + 7);
	print(~(u100)0 / 3);
	struct holder h = { 19, -5, (u100)1 << 80 };
	h.large -= 1;
	h.middle *= 100;
	printf("%d %d %zu\n", (int)h.small, (int)h.middle, sizeof h);
	print(h.large);
	int narrow = 12345;
	printf("%d %d %d\n", (int)(s12)narrow, (int)(u5)narrow, (int)((u5)7 < (u5)9));
	return 0;
}
