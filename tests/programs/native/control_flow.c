// Computed goto, switch with ranges and fall-through, nested loops left by goto, Duff's device, statement expressions.
//@ native
#include <stdio.h>

static int run(const unsigned char *code)
{
	static void *const labels[] = { &&halt, &&push, &&add, &&multiply, &&duplicate };
	int stack[16], depth = 0;
#define NEXT goto *labels[*code++]
	NEXT;
push:
	stack[depth++] = *code++;
	NEXT;
add:
	depth--;
	stack[depth - 1] += stack[depth];
	NEXT;
multiply:
	depth--;
	stack[depth - 1] *= stack[depth];
	NEXT;
duplicate:
	stack[depth] = stack[depth - 1];
	depth++;
	NEXT;
halt:
	return stack[depth - 1];
}

static const char *classify(int c)
{
	switch (c) {
	case '0' ... '9':
		return "digit";
	case 'a' ... 'z':
	case 'A' ... 'Z':
		return "letter";
	case -100 ... -1:
		return "negative";
	case 1000000:
		return "million";
	default:
		return "other";
	}
}

static int fall(int n)
{
	int mask = 0;
	switch (n) {
	case 3:
		mask |= 8; // fall through
	case 2:
		mask |= 4; // fall through
	case 1:
		mask |= 2;
		break;
	default:
		mask |= 16; // fall through
	case 0:
		mask |= 1;
	}
	return mask;
}

static void duff(char *to, const char *from, int count)
{
	int rounds = (count + 3) / 4;
	switch (count % 4) {
	case 0:
		do {
			*to++ = *from++; // fall through
		case 3:
			*to++ = *from++; // fall through
		case 2:
			*to++ = *from++; // fall through
		case 1:
			*to++ = *from++;
		} while (--rounds > 0);
	}
}

static int switch64(unsigned long long x)
{
	switch (x) {
	case 0x100000000ull:
		return 1;
	case 0xffffffffffffffffull:
		return 2;
	case 0:
		return 3;
	}
	return 4;
}

#define MAX(a, b) ({ __typeof__(a) a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })

int main(void)
{
	static const unsigned char program[] = { 1, 6, 4, 3, 1, 5, 2, 1, 2, 3, 0 };
	printf("%d\n", run(program));
	static const int samples[] = { '5', 'q', 'Q', -50, -101, 1000000, '!' };
	for (int i = 0; i < 7; i++)
		printf("%s ", classify(samples[i]));
	printf("\n");
	for (int i = -1; i < 5; i++)
		printf("%d ", fall(i));
	printf("\n");
	char out[12] = { 0 };
	duff(out, "duffsdevice", 11);
	printf("%s\n", out);
	printf("%d %d %d %d\n", switch64(1ull << 32), switch64(-1ull), switch64(0), switch64(1));
	int i, j;
	for (i = 0; i < 10; i++)
		for (j = 0; j < 10; j++)
			if (i * j == 42)
				goto found;
found:
	printf("%d %d %d\n", i, j, MAX(i++, j));
	int n = 27, steps = 0;
	do {
		n = n & 1 ? 3 * n + 1 : n / 2;
		if (++steps > 1000)
			break;
	} while (n != 1);
	printf("%d %d %d\n", steps, n ?: 9, (n - 1) ?: 8);
	return 0;
}
