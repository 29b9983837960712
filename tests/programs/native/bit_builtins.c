// Bit builtins: popcount, clz, ctz, ffs, parity, bswap, bitreverse, rotates, and portable versions of each.
//@ native
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate_left(uint32_t x, unsigned n)
{
	return x << (n & 31) | x >> (-n & 31);
}

static uint64_t rotate_right64(uint64_t x, unsigned n)
{
	return x >> (n & 63) | x << (-n & 63);
}

static int popcount(uint64_t x)
{
	int n = 0;
	for (; x; x &= x - 1)
		n++;
	return n;
}

static uint32_t reverse(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

static uint64_t interleave(uint32_t x)
{
	uint64_t out = 0;
	for (int i = 0; i < 32; i++)
		out |= (uint64_t)(x >> i & 1) << (2 * i);
	return out;
}

int main(void)
{
	static const uint64_t samples[] = { 1, 2, 0x80000000, 0xdeadbeef, 0x123456789abcdef, 0x8000000000000000, 0xffffffffffffffff, 0x10 };
	for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
		uint64_t x = samples[i];
		uint32_t w = (uint32_t)x ? (uint32_t)x : 1;
		printf("%llx: %d %d %d %d %d %d", (unsigned long long)x, __builtin_popcountll(x), popcount(x), __builtin_clzll(x), __builtin_ctzll(x),
		       __builtin_ffsll((long long)x), __builtin_parityll(x));
		printf(" %d %d %d %d %d %d\n", __builtin_popcount(w), __builtin_clz(w), __builtin_ctz(w), __builtin_ffs((int)w), __builtin_parity(w),
		       __builtin_clrsb((int)w));
		printf("  %016llx %08x %04x %08x %08x\n", (unsigned long long)__builtin_bswap64(x), __builtin_bswap32(w), __builtin_bswap16((uint16_t)x),
		       __builtin_bitreverse32(w), reverse(w));
		printf("  %08x %08x %016llx %016llx\n", rotate_left(w, 5), rotate_left(w, 0), (unsigned long long)rotate_right64(x, 13),
		       (unsigned long long)__builtin_rotateleft64(x, 60));
		printf("  %08x %02x %016llx\n", __builtin_rotateright32(w, 31), __builtin_rotateleft8((uint8_t)x, 3), (unsigned long long)interleave(w));
	}
	int x = -17;
	printf("%d %d %u %d\n", x >> 2, x / 4, (unsigned)x >> 28, x & 15);
	printf("%ld %d\n", __builtin_expect(x < 0, 1), __builtin_constant_p(3));
	uint8_t narrow = 0x96;
	printf("%x %x %x\n", (uint8_t)~narrow, narrow << 4, (uint8_t)(narrow << 4));
	return 0;
}
