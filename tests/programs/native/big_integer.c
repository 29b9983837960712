// Big integers in base 10^9: factorial, Fibonacci, power of two, digits of e by the spigot method.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 1000000000 };

struct big {
	size_t n, capacity;
	uint32_t *digits; // low to high
};

static void push(struct big *b, uint32_t digit)
{
	if (b->n == b->capacity) {
		b->capacity = b->capacity ? 2 * b->capacity : 4;
		b->digits = realloc(b->digits, b->capacity * sizeof *b->digits);
	}
	b->digits[b->n++] = digit;
}

static struct big from(uint32_t x)
{
	struct big b = { 0 };
	push(&b, x);
	return b;
}

static void multiply(struct big *b, uint32_t factor)
{
	uint64_t carry = 0;
	for (size_t i = 0; i < b->n; i++) {
		carry += (uint64_t)b->digits[i] * factor;
		b->digits[i] = (uint32_t)(carry % BASE);
		carry /= BASE;
	}
	if (carry)
		push(b, (uint32_t)carry);
}

static void add(struct big *a, const struct big *b)
{
	uint32_t carry = 0;
	for (size_t i = 0; i < a->n || i < b->n || carry; i++) {
		if (i == a->n)
			push(a, 0);
		a->digits[i] += carry + (i < b->n ? b->digits[i] : 0);
		carry = a->digits[i] >= BASE;
		if (carry)
			a->digits[i] -= BASE;
	}
}

static uint32_t remainder_of(const struct big *b, uint32_t divisor)
{
	uint64_t rest = 0;
	for (size_t i = b->n; i--;)
		rest = (rest * BASE + b->digits[i]) % divisor;
	return (uint32_t)rest;
}

static void print(const struct big *b)
{
	printf("%u", b->digits[b->n - 1]);
	for (size_t i = b->n - 1; i--;)
		printf("%09u", b->digits[i]);
	printf("\n");
}

int main(void)
{
	struct big factorial = from(1);
	for (uint32_t i = 2; i <= 60; i++)
		multiply(&factorial, i);
	print(&factorial);
	printf("%u %u\n", remainder_of(&factorial, 59), remainder_of(&factorial, 1000003));
	struct big a = from(0), b = from(1);
	for (int i = 0; i < 300; i++) {
		add(&a, &b);
		struct big t = a;
		a = b;
		b = t;
	}
	print(&a);
	struct big power = from(1);
	for (int i = 0; i < 256; i++)
		multiply(&power, 2);
	print(&power);
	free(factorial.digits);
	free(a.digits);
	free(b.digits);
	free(power.digits);
	int remainders[60];
	for (int i = 0; i < 60; i++)
		remainders[i] = 1;
	printf("2.");
	for (int digit = 0; digit < 50; digit++) {
		int carry = 0;
		for (int i = 59; i >= 0; i--) {
			int x = remainders[i] * 10 + carry;
			carry = x / (i + 2);
			remainders[i] = x % (i + 2);
		}
		printf("%d", carry);
	}
	printf("\n");
	return 0;
}
