// 128-bit integers: arithmetic, division, shifts, comparison, conversion, multiplication high, modular power.
//@ native
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

static void print(u128 x)
{
	char digits[40];
	int n = 0;
	do
		digits[n++] = (char)('0' + (int)(x % 10));
	while (x /= 10);
	while (n)
		putchar(digits[--n]);
}

static void print_signed(i128 x)
{
	if (x < 0)
		putchar('-');
	print(x < 0 ? -(u128)x : (u128)x);
	putchar('\n');
}

static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
	u128 result = 1, square = base % modulus;
	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = result * square % modulus;
		square = square * square % modulus;
	}
	return (uint64_t)result;
}

static i128 table[] = { 0, -1, (i128)1 << 100, -((i128)1 << 100) };

int main(void)
{
	u128 factorial = 1;
	for (unsigned i = 1; i <= 34; i++)
		factorial *= i;
	print_signed((i128)factorial);
	u128 max = ~(u128)0;
	print(max);
	putchar('\n');
	print(max / 1000000007);
	putchar(' ');
	print(max % 1000000007);
	putchar(' ');
	print(max / (((u128)1 << 90) + 12345));
	putchar('\n');
	print_signed((i128)-7 / 2);
	print_signed((i128)-7 % 2);
	print_signed(-((i128)1 << 126) / 3);
	print_signed((i128)INT64_MIN * INT64_MIN);
	print_signed((i128)(max >> 1) >> 70);
	print_signed((i128)(max << 127) >> 70);
	printf("%d %d %d\n", max > (u128)1 << 127, (i128)max < 0, (u128)(i128)-1 == max);
	printf("%llx %llx\n", (unsigned long long)(factorial >> 64), (unsigned long long)factorial);
	uint64_t high = (uint64_t)(((u128)0xdeadbeefcafebabe * 0x123456789abcdef0) >> 64);
	printf("%llx\n", (unsigned long long)high);
	printf("%llu %llu\n", (unsigned long long)power(3, 1000000, 1000000007), (unsigned long long)power(2, 61, 0x1fffffffffffffff));
	printf("%.17g %.17g %g\n", (double)factorial, (double)-((i128)1 << 100), (double)(i128)-5);
	print((u128)1e30);
	putchar('\n');
	i128 sum = 0;
	for (int i = 0; i < 4; i++)
		sum = sum * 3 + table[i];
	print_signed(sum);
	i128 out;
	printf("%d %d\n", __builtin_mul_overflow((i128)1 << 70, (i128)1 << 57, &out), __builtin_add_overflow((i128)(max >> 1), (i128)1, &out));
	return 0;
}
