// Integers from text, and the small integer functions of stdlib.h, inttypes.h and sched.h.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#define API __attribute__((weak))

// What a run of digits says before it is squeezed into a type.
struct number {
	unsigned long long magnitude; // valid unless `overflow`
	bool negative;
	bool overflow; // larger than 64 bits
	bool valid;    // false: bad base, where glibc leaves *end alone
};

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

// The value of a digit in base 36, or 36 for anything else.
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 36;
}

// Settles the base and steps over "0x" (and C23's "0b"), but only if a digit follows: "0xg" is the number 0.
static const char *skip_prefix(const char *s, int *base, bool binary)
{
	char mark = s[0] == '0' ? s[1] : 0;
	if ((*base == 0 || *base == 16) && (mark == 'x' || mark == 'X') && digit_value(s[2]) < 16) {
		*base = 16;
		return s + 2;
	}
	if (binary && (*base == 0 || *base == 2) && (mark == 'b' || mark == 'B') && digit_value(s[2]) < 2) {
		*base = 2;
		return s + 2;
	}
	if (*base == 0)
		*base = s[0] == '0' ? 8 : 10;
	return s;
}

static struct number scan(const char *text, char **end, int base, bool binary)
{
	struct number number = { .valid = true };
	if (base < 0 || base == 1 || base > 36) {
		errno = EINVAL;
		number.valid = false;
		return number;
	}
	const char *s = text;
	while (is_space(*s))
		s++;
	if (*s == '-' || *s == '+')
		number.negative = *s++ == '-';
	const char *digits = skip_prefix(s, &base, binary);
	const char *p = digits;
	for (unsigned digit; (digit = digit_value(*p)) < (unsigned)base; p++) {
		unsigned long long scaled, sum;
		if (__builtin_mul_overflow(number.magnitude, (unsigned long long)base, &scaled) ||
		    __builtin_add_overflow(scaled, (unsigned long long)digit, &sum))
			number.overflow = true;
		else
			number.magnitude = sum;
	}
	if (end)
		*end = (char *)(p == digits ? text : p);
	return number;
}

static long long signed_result(struct number number)
{
	unsigned long long limit = (unsigned long long)LLONG_MAX + number.negative;
	if (number.overflow || number.magnitude > limit) {
		errno = ERANGE;
		return number.negative ? LLONG_MIN : LLONG_MAX;
	}
	return (long long)(number.negative ? -number.magnitude : number.magnitude);
}

static unsigned long long unsigned_result(struct number number)
{
	if (number.overflow) {
		errno = ERANGE;
		return ULLONG_MAX;
	}
	return number.negative ? -number.magnitude : number.magnitude;
}

_Static_assert(sizeof(long) == sizeof(long long) && sizeof(intmax_t) == sizeof(long long), "one width serves all");

#define SIGNED(type, name, binary) \
	API type name(const char *restrict text, char **restrict end, int base) \
	{ \
		return signed_result(scan(text, end, base, binary)); \
	}
#define UNSIGNED(type, name, binary) \
	API type name(const char *restrict text, char **restrict end, int base) \
	{ \
		return unsigned_result(scan(text, end, base, binary)); \
	}

SIGNED(long, strtol, false)
SIGNED(long long, strtoll, false)
SIGNED(long long, strtoq, false)
SIGNED(intmax_t, strtoimax, false)
UNSIGNED(unsigned long, strtoul, false)
UNSIGNED(unsigned long long, strtoull, false)
UNSIGNED(unsigned long long, strtouq, false)
UNSIGNED(uintmax_t, strtoumax, false)

// glibc 2.38 and later redirect to these under C23, and C23 alone accepts "0b".
long __isoc23_strtol(const char *restrict, char **restrict, int);
long long __isoc23_strtoll(const char *restrict, char **restrict, int);
intmax_t __isoc23_strtoimax(const char *restrict, char **restrict, int);
unsigned long __isoc23_strtoul(const char *restrict, char **restrict, int);
unsigned long long __isoc23_strtoull(const char *restrict, char **restrict, int);
uintmax_t __isoc23_strtoumax(const char *restrict, char **restrict, int);

SIGNED(long, __isoc23_strtol, true)
SIGNED(long long, __isoc23_strtoll, true)
SIGNED(intmax_t, __isoc23_strtoimax, true)
UNSIGNED(unsigned long, __isoc23_strtoul, true)
UNSIGNED(unsigned long long, __isoc23_strtoull, true)
UNSIGNED(uintmax_t, __isoc23_strtoumax, true)

API long strtol_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
	(void)locale;
	return strtol(text, end, base);
}

API long long strtoll_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
	(void)locale;
	return strtoll(text, end, base);
}

API unsigned long strtoul_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
	(void)locale;
	return strtoul(text, end, base);
}

API unsigned long long strtoull_l(const char *restrict text, char **restrict end, int base, locale_t locale)
{
	(void)locale;
	return strtoull(text, end, base);
}

API int atoi(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

API long atol(const char *text)
{
	return strtol(text, NULL, 10);
}

API long long atoll(const char *text)
{
	return strtoll(text, NULL, 10);
}

API int abs(int i)
{
	return i < 0 ? -i : i;
}

API long labs(long i)
{
	return i < 0 ? -i : i;
}

API long long llabs(long long i)
{
	return i < 0 ? -i : i;
}

API intmax_t imaxabs(intmax_t i)
{
	return i < 0 ? -i : i;
}

API div_t div(int a, int b)
{
	return (div_t){ .quot = a / b, .rem = a % b };
}

API ldiv_t ldiv(long a, long b)
{
	return (ldiv_t){ .quot = a / b, .rem = a % b };
}

API lldiv_t lldiv(long long a, long long b)
{
	return (lldiv_t){ .quot = a / b, .rem = a % b };
}

API imaxdiv_t imaxdiv(intmax_t a, intmax_t b)
{
	return (imaxdiv_t){ .quot = a / b, .rem = a % b };
}

// The generator of glibc, whose sequence programs may rely on: three steps of a linear congruence give 11 + 10 + 10 bits.
API int rand_r(unsigned *seed)
{
	static const unsigned bits[3] = { 11, 10, 10 };
	unsigned state = *seed, result = 0;
	for (int i = 0; i < 3; i++) {
		state = state * 1103515245u + 12345u;
		result = result << bits[i] ^ (state >> 16 & ((1u << bits[i]) - 1));
	}
	*seed = state;
	return (int)result;
}

// What CPU_COUNT calls.
API int __sched_cpucount(size_t size, const cpu_set_t *processors)
{
	const unsigned char *bytes = (const unsigned char *)processors;
	int count = 0;
	for (size_t i = 0; i < size; i++)
		count += __builtin_popcount(bytes[i]);
	return count;
}
