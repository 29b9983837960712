// Sieve of Eratosthenes over bits, with prime counting, gaps and factorisation.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 20000 };
static uint64_t composite[LIMIT / 64 + 1];

static int is_composite(unsigned n)
{
	return composite[n / 64] >> (n % 64) & 1;
}

int main(void)
{
	composite[0] = 3;
	for (unsigned p = 2; p * p < LIMIT; p++)
		if (!is_composite(p))
			for (unsigned m = p * p; m < LIMIT; m += p)
				composite[m / 64] |= 1ull << (m % 64);
	unsigned count = 0, last = 2, gap = 0, gap_at = 0, twins = 0;
	unsigned long sum = 0;
	for (unsigned n = 2; n < LIMIT; n++) {
		if (is_composite(n))
			continue;
		count++;
		sum += n;
		if (n - last > gap) {
			gap = n - last;
			gap_at = last;
		}
		twins += n - last == 2;
		last = n;
	}
	printf("%u primes, last %u, sum %lu, gap %u after %u, %u twins\n", count, last, sum, gap, gap_at, twins);
	static const unsigned numbers[] = { 2, 97, 360, 1001, 65536, 999983u * 2, 4294967291u };
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		unsigned n = numbers[i];
		printf("%u =", n);
		for (unsigned p = 2; p < LIMIT && p <= n / p; p++)
			while (!is_composite(p) && n % p == 0) {
				printf(" %u", p);
				n /= p;
			}
		printf(n > 1 ? " %u\n" : "\n", n);
	}
	return 0;
}
