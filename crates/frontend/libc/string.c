// Length, copying, joining and comparing of byte strings.
//
// Every function of this library is weak, so that a program that defines its own `index` or `basename` links, and
// calls only ISO C names or static helpers, so that such a definition never changes what the library does.
// Loops go byte by byte and stop at the first byte that settles the result: reading further would be reported as a bug
// of the program under test. memcpy, memmove and memset are models of the machine.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define API __attribute__((weak))

API size_t strlen(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

static size_t bounded_length(const char *s, size_t max)
{
	size_t n = 0;
	while (n < max && s[n])
		n++;
	return n;
}

API size_t strnlen(const char *s, size_t max)
{
	return bounded_length(s, max);
}

// Copies including the terminator and returns the place of the terminator.
static char *copy_string(char *dst, const char *src)
{
	while ((*dst = *src)) {
		dst++;
		src++;
	}
	return dst;
}

// Copies at most `n` bytes, fills the rest with zeros and returns the first zero written, or dst + n.
static char *copy_padded(char *dst, const char *src, size_t n)
{
	size_t i = 0;
	for (; i < n && src[i]; i++)
		dst[i] = src[i];
	char *end = dst + i;
	for (; i < n; i++)
		dst[i] = 0;
	return end;
}

API char *strcpy(char *restrict dst, const char *restrict src)
{
	copy_string(dst, src);
	return dst;
}

API char *stpcpy(char *restrict dst, const char *restrict src)
{
	return copy_string(dst, src);
}

API char *__stpcpy(char *restrict dst, const char *restrict src)
{
	return copy_string(dst, src);
}

API char *strncpy(char *restrict dst, const char *restrict src, size_t n)
{
	copy_padded(dst, src, n);
	return dst;
}

API char *stpncpy(char *restrict dst, const char *restrict src, size_t n)
{
	return copy_padded(dst, src, n);
}

API char *__stpncpy(char *restrict dst, const char *restrict src, size_t n)
{
	return copy_padded(dst, src, n);
}

API char *strcat(char *restrict dst, const char *restrict src)
{
	copy_string(dst + strlen(dst), src);
	return dst;
}

API char *strncat(char *restrict dst, const char *restrict src, size_t n)
{
	char *end = dst + strlen(dst);
	size_t i = 0;
	for (; i < n && src[i]; i++)
		end[i] = src[i];
	end[i] = 0;
	return dst;
}

// The BSD pair is not in glibc 2.36, but programs declare and use it.
size_t strlcpy(char *restrict, const char *restrict, size_t);
size_t strlcat(char *restrict, const char *restrict, size_t);

API size_t strlcpy(char *restrict dst, const char *restrict src, size_t size)
{
	size_t i = 0;
	for (; i + 1 < size && src[i]; i++)
		dst[i] = src[i];
	if (size)
		dst[i] = 0;
	while (src[i])
		i++;
	return i;
}

API size_t strlcat(char *restrict dst, const char *restrict src, size_t size)
{
	size_t used = bounded_length(dst, size);
	size_t i = 0;
	for (; used + i + 1 < size && src[i]; i++)
		dst[used + i] = src[i];
	if (used < size)
		dst[used + i] = 0;
	return used + i + strlen(src + i);
}

API char *strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = malloc(size);
	return copy ? memcpy(copy, s, size) : NULL;
}

API char *strndup(const char *s, size_t max)
{
	size_t n = bounded_length(s, max);
	char *copy = malloc(n + 1);
	if (!copy)
		return NULL;
	memcpy(copy, s, n);
	copy[n] = 0;
	return copy;
}

API void *mempcpy(void *restrict dst, const void *restrict src, size_t n)
{
	return (char *)memcpy(dst, src, n) + n;
}

API void *__mempcpy(void *restrict dst, const void *restrict src, size_t n)
{
	return (char *)memcpy(dst, src, n) + n;
}

API void *memccpy(void *restrict dst, const void *restrict src, int stop, size_t n)
{
	unsigned char *to = dst;
	const unsigned char *from = src;
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		if (from[i] == (unsigned char)stop)
			return to + i + 1;
	}
	return NULL;
}

API void bcopy(const void *src, void *dst, size_t n)
{
	memmove(dst, src, n);
}

API void bzero(void *s, size_t n)
{
	memset(s, 0, n);
}

API void explicit_bzero(void *s, size_t n)
{
	memset(s, 0, n);
}

API void *memfrob(void *s, size_t n)
{
	unsigned char *bytes = s;
	for (size_t i = 0; i < n; i++)
		bytes[i] ^= 42;
	return s;
}

// Comparisons return the difference of the first unequal bytes, as glibc does on x86-64, not merely its sign.

// A model of the machine: all of these bytes must lie in one object. Nothing is read.
void __gordian_check_bounds(const void *start, size_t n);

// The result is settled by the first difference, but all bytes of both must be there: other implementations read them.
API int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	__gordian_check_bounds(a, n);
	__gordian_check_bounds(b, n);
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

API int bcmp(const void *a, const void *b, size_t n)
{
	return memcmp(a, b, n);
}

API int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

API int strncmp(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] || !a[i])
			return (unsigned char)a[i] - (unsigned char)b[i];
	return 0;
}

static int lower(char c)
{
	unsigned char u = c;
	return u >= 'A' && u <= 'Z' ? u + 'a' - 'A' : u;
}

static int compare_ignoring_case(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int x = lower(a[i]), y = lower(b[i]);
		if (x != y || !x)
			return x - y;
	}
	return 0;
}

API int strcasecmp(const char *a, const char *b)
{
	return compare_ignoring_case(a, b, SIZE_MAX);
}

API int strncasecmp(const char *a, const char *b, size_t n)
{
	return compare_ignoring_case(a, b, n);
}

API int strcasecmp_l(const char *a, const char *b, locale_t locale)
{
	(void)locale;
	return compare_ignoring_case(a, b, SIZE_MAX);
}

API int strncasecmp_l(const char *a, const char *b, size_t n, locale_t locale)
{
	(void)locale;
	return compare_ignoring_case(a, b, n);
}

// The only locale is "C", where collation is byte order and the transformed string is the string itself.

API int strcoll(const char *a, const char *b)
{
	return strcmp(a, b);
}

API int strcoll_l(const char *a, const char *b, locale_t locale)
{
	(void)locale;
	return strcmp(a, b);
}

API size_t strxfrm(char *restrict dst, const char *restrict src, size_t n)
{
	size_t length = strlen(src);
	if (n) // otherwise dst may be null
		memcpy(dst, src, length < n ? length + 1 : n);
	return length;
}

API size_t strxfrm_l(char *restrict dst, const char *restrict src, size_t n, locale_t locale)
{
	(void)locale;
	return strxfrm(dst, src, n);
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

// Orders embedded numbers by value; numbers with leading zeros are fractions: "000" < "00" < "01" < "010" < "09" < "0" < "1".
API int strverscmp(const char *a, const char *b)
{
	size_t i = 0, run = 0; // run: start of the digits that end just before i
	while (a[i] && a[i] == b[i]) {
		i++;
		if (!is_digit(a[i - 1]))
			run = i;
	}
	int difference = (unsigned char)a[i] - (unsigned char)b[i];
	if (!difference)
		return 0;
	size_t zeros = run;
	while (zeros < i && a[zeros] == '0')
		zeros++;
	int in_number = run < i, all_zeros = zeros == i;
	int digit_a = is_digit(a[i]), digit_b = is_digit(b[i]);
	int fraction = in_number ? a[run] == '0' : (digit_a && digit_b && (a[i] == '0' || b[i] == '0'));
	if (fraction) {
		// After nothing but zeros the string that goes on with digits has the longer run of zeros or is a fraction: smaller.
		if (in_number && all_zeros && digit_a != digit_b)
			return digit_a ? -1 : 1;
		return difference;
	}
	if (!(digit_a && digit_b) && !in_number)
		return difference;
	size_t end_a = i, end_b = i;
	while (is_digit(a[end_a]))
		end_a++;
	while (is_digit(b[end_b]))
		end_b++;
	if (end_a != end_b)
		return end_a < end_b ? -1 : 1;
	return difference;
}
