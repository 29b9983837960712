// Integer promotions, conversions, shifts, division and remainder signs, comparison between signed and unsigned, enums, bool.
//@ native
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum colour { RED = -1, GREEN, BLUE = 1 << 20 };
enum wide { SMALL, HUGE_ = 1ll << 40 };

static int compare(int a, unsigned b)
{
	return (unsigned)a < b;
}

int main(void)
{
	signed char sc = -1;
	unsigned char uc = 255;
	short s = -32768;
	unsigned short us = 65535;
	printf("%d %d %d %d\n", sc, uc, sc == uc, (unsigned char)sc == uc);
	printf("%d %d %u\n", s, us, (unsigned)s);
	printf("%d %d %d\n", (signed char)300, (short)70000, (unsigned char)-2);
	printf("%lld %llu\n", (long long)(int)0x80000000, (unsigned long long)(int)-1);
	printf("%d %d\n", us * 2, uc << 8);
	printf("%d %d %d %d\n", 7 / 2, -7 / 2, 7 / -2, -7 / -2);
	printf("%d %d %d %d\n", 7 % 3, -7 % 3, 7 % -3, -7 % -3);
	printf("%d %d %d\n", compare(-1, 1), -1 < 1, (long long)-1 < (long long)1u);
	printf("%d %d %d\n", -1 >> 31, INT_MIN >> 31, (int)((unsigned)INT_MIN >> 31));
	printf("%u %llu\n", 1u << 31, 1ull << 63);
	printf("%d %d %d %lld\n", RED, GREEN, BLUE, (long long)HUGE_);
	enum colour c = BLUE;
	switch (c) {
	case RED:
		printf("red\n");
		break;
	case BLUE:
		printf("blue %zu %zu\n", sizeof c, sizeof(enum wide));
		break;
	default:
		printf("other\n");
	}
	bool b = 256;
	b += 5;
	printf("%d %d %zu\n", b, !b, sizeof(bool));
	bool *pointer = &b, from_pointer = pointer;
	printf("%d %d\n", from_pointer, (bool)0.0);
	int i = 5;
	i += 3.7;
	uc -= 3.5;
	printf("%d %d\n", i, uc);
	i = i + 1 ? 10 : 20;
	printf("%d\n", (i = 3, i * 2));
	unsigned long long big = 0xffffffff00000001;
	printf("%u %d %d\n", (unsigned)big, (int)(big >> 32), (int)big);
	printf("%d %d %d\n", 'a' + 1, '\377', '\x7f');
	printf("%d %d %d\n", 010, 0x10, 0b101);
	int64_t m = INT64_MIN;
	printf("%lld %lld\n", (long long)(m + 1), (long long)-(m + 1));
	printf("%zu %zu %zu %zu %zu\n", sizeof(char), sizeof 'a', sizeof(1 ? 1 : 1ll), sizeof(sc + uc), sizeof(1.0f * 1.0));
	printf("%d\n", _Generic(1.0f + 1, int: 1, float: 2, double: 3, default: 4) * 10 + _Generic(sc + us, int: 1, default: 2));
	return 0;
}
