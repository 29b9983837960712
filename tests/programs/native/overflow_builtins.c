// Checked arithmetic: __builtin_*_overflow over all widths and mixed types, and saturating idioms built on it.
//@ native
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

static int saturating_add(int a, int b)
{
	int sum;
	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT_MIN : INT_MAX;
	return sum;
}

static unsigned saturating_subtract(unsigned a, unsigned b)
{
	unsigned difference = a - b;
	return difference & -(unsigned)(difference <= a);
}

static uint8_t saturating_byte(int x)
{
	return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static int16_t saturating_multiply(int16_t a, int16_t b)
{
	int16_t product;
	return __builtin_mul_overflow(a, b, &product) ? ((a ^ b) < 0 ? INT16_MIN : INT16_MAX) : product;
}

#define TRY(operation, type, a, b) \
	do { \
		type result_; \
		int over_ = __builtin_##operation##_overflow(a, b, &result_); \
		printf(#operation " " #type ": %d %lld\n", over_, (long long)result_); \
	} while (0)

int main(void)
{
	TRY(add, int, INT_MAX, 1);
	TRY(add, int, INT_MAX, 0);
	TRY(sub, int, INT_MIN, 1);
	TRY(mul, int, 65536, 32768);
	TRY(mul, int, -65536, 32768);
	TRY(add, unsigned, UINT_MAX, 1u);
	TRY(sub, unsigned, 3u, 4u);
	TRY(mul, unsigned, 65536u, 65536u);
	TRY(add, int8_t, 100, 27);
	TRY(add, int8_t, 100, 28);
	TRY(sub, uint8_t, 5, 6);
	TRY(mul, int16_t, -256, 128);
	TRY(mul, int16_t, -256, -128);
	TRY(add, long long, LLONG_MAX, 1ll);
	TRY(sub, long long, LLONG_MIN, -1ll);
	TRY(mul, long long, 1ll << 32, 1ll << 31);
	TRY(mul, long long, 3037000500ll, 3037000500ll);
	TRY(mul, unsigned long long, 1ull << 32, 1ull << 32);
	TRY(add, unsigned, -5, 3);
	TRY(add, int, 4000000000u, -4000000000ll);
	TRY(sub, uint64_t, 1, 2);
	TRY(mul, uint8_t, 16ll, 16u);
	printf("%d %d %d\n", saturating_add(INT_MAX, 5), saturating_add(INT_MIN, -5), saturating_add(7, -9));
	printf("%u %u\n", saturating_subtract(3, 9), saturating_subtract(9, 3));
	printf("%u %u %u\n", saturating_byte(-4), saturating_byte(300), saturating_byte(77));
	printf("%d %d %d\n", saturating_multiply(300, 300), saturating_multiply(-300, 300), saturating_multiply(-3, 30));
	unsigned wrap = UINT_MAX;
	wrap += 2;
	unsigned char c = 250;
	c += 10;
	printf("%u %u %u %d\n", wrap, c, 0u - 1u, (signed char)(unsigned char)200);
	return 0;
}
