// Bit-fields: signed, unsigned, boolean, zero width, straddling, packed; unions over them.
//@ native
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct flags {
	unsigned a : 3;
	int b : 5;
	bool c : 1;
	unsigned : 0;
	unsigned d : 17;
	unsigned e : 15;
};

struct wide {
	uint64_t low : 40;
	uint64_t high : 24;
	int64_t middle : 33;
};

struct __attribute__((packed)) tight {
	unsigned a : 7;
	unsigned b : 11;
	unsigned c : 14;
	char tail;
};

union word {
	struct {
		unsigned mantissa : 23, exponent : 8, sign : 1;
	} parts;
	float value;
	uint32_t bits;
};

static void dump(const void *p, size_t n)
{
	const unsigned char *bytes = p;
	for (size_t i = 0; i < n; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

int main(void)
{
	struct flags f;
	memset(&f, 0, sizeof f);
	f.a = 5;
	f.b = -7;
	f.c = 42;
	f.d = 0x1ffff;
	f.e = 0x1234;
	printf("%zu %u %d %d %u %x\n", sizeof f, f.a, f.b, f.c, f.d, f.e);
	dump(&f, sizeof f);
	f.a += 6;
	f.b = 15;
	f.d++;
	f.e <<= 4;
	f.c = 0;
	printf("%u %d %d %u %x\n", f.a, f.b, f.c, f.d, f.e);
	dump(&f, sizeof f);

	struct wide w;
	memset(&w, 0, sizeof w);
	w.low = 0xfedcba9876;
	w.high = 0xabcdef;
	w.middle = -(1ll << 32);
	printf("%zu %llx %llx %lld\n", sizeof w, (unsigned long long)w.low, (unsigned long long)w.high, (long long)w.middle);
	w.middle--;
	w.low++;
	dump(&w, 8);
	printf("%lld\n", (long long)w.middle);

	struct tight t = { 100, 2000, 16000, 'x' };
	printf("%zu %u %u %u %c\n", sizeof t, t.a, t.b, t.c, t.tail);
	dump(&t, sizeof t);

	union word u = { .value = -6.5f };
	printf("%u %u %x %08x\n", u.parts.sign, u.parts.exponent, u.parts.mantissa, u.bits);
	u.parts.exponent++;
	u.parts.sign = 0;
	printf("%g\n", u.value);
	return 0;
}
