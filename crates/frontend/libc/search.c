// Searching in byte strings and splitting them into tokens.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define API __attribute__((weak))

API void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *bytes = s;
	for (size_t i = 0; i < n; i++)
		if (bytes[i] == (unsigned char)c)
			return (void *)(bytes + i);
	return NULL;
}

API void *memrchr(const void *s, int c, size_t n)
{
	const unsigned char *bytes = s;
	while (n--)
		if (bytes[n] == (unsigned char)c)
			return (void *)(bytes + n);
	return NULL;
}

API void *rawmemchr(const void *s, int c)
{
	const unsigned char *bytes = s;
	while (*bytes != (unsigned char)c)
		bytes++;
	return (void *)bytes;
}

static char *find_or_end(const char *s, char c)
{
	while (*s && *s != c)
		s++;
	return (char *)s;
}

static char *find_first(const char *s, char c)
{
	char *found = find_or_end(s, c);
	return *found == c ? found : NULL;
}

static char *find_last(const char *s, char c)
{
	const char *found = NULL;
	for (;; s++) {
		if (*s == c)
			found = s;
		if (!*s)
			return (char *)found;
	}
}

API char *strchr(const char *s, int c)
{
	return find_first(s, (char)c);
}

API char *index(const char *s, int c)
{
	return find_first(s, (char)c);
}

API char *strrchr(const char *s, int c)
{
	return find_last(s, (char)c);
}

API char *rindex(const char *s, int c)
{
	return find_last(s, (char)c);
}

API char *strchrnul(const char *s, int c)
{
	return find_or_end(s, (char)c);
}

// The textbook search: quadratic at worst, but it never looks past the first position that settles a match.
API char *strstr(const char *haystack, const char *needle)
{
	for (;; haystack++) {
		size_t i = 0;
		while (needle[i] && haystack[i] == needle[i])
			i++;
		if (!needle[i])
			return (char *)haystack;
		if (!haystack[i])
			return NULL;
	}
}

static int lower(char c)
{
	unsigned char u = c;
	return u >= 'A' && u <= 'Z' ? u + 'a' - 'A' : u;
}

API char *strcasestr(const char *haystack, const char *needle)
{
	for (;; haystack++) {
		size_t i = 0;
		while (needle[i] && lower(haystack[i]) == lower(needle[i]))
			i++;
		if (!needle[i])
			return (char *)haystack;
		if (!haystack[i])
			return NULL;
	}
}

API void *memmem(const void *haystack, size_t n, const void *needle, size_t m)
{
	const unsigned char *hay = haystack, *pin = needle;
	for (size_t at = 0; m <= n && at <= n - m; at++) {
		size_t i = 0;
		while (i < m && hay[at + i] == pin[i])
			i++;
		if (i == m)
			return (void *)(hay + at);
	}
	return NULL;
}

// Length of the prefix of `s` whose bytes are all in `set` (wanted = 1) or all outside it (wanted = 0).
static size_t span(const char *s, const char *set, int wanted)
{
	size_t n = 0;
	while (s[n] && (find_first(set, s[n]) != NULL) == wanted)
		n++;
	return n;
}

API size_t strspn(const char *s, const char *accept)
{
	return span(s, accept, 1);
}

API size_t strcspn(const char *s, const char *reject)
{
	return span(s, reject, 0);
}

API char *strpbrk(const char *s, const char *accept)
{
	s += span(s, accept, 0);
	return *s ? (char *)s : NULL;
}

static char *next_token(char *s, const char *delimiters, char **save)
{
	if (!s)
		s = *save;
	s += span(s, delimiters, 1);
	char *end = s + span(s, delimiters, 0);
	char *token = *s ? s : NULL;
	if (*end)
		*end++ = 0;
	*save = end;
	return token;
}

API char *strtok_r(char *restrict s, const char *restrict delimiters, char **restrict save)
{
	return next_token(s, delimiters, save);
}

API char *__strtok_r(char *restrict s, const char *restrict delimiters, char **restrict save)
{
	return next_token(s, delimiters, save);
}

// Shared by all threads on purpose: calling strtok from two threads is a race in glibc too.
static char *strtok_rest;

API char *strtok(char *restrict s, const char *restrict delimiters)
{
	return next_token(s, delimiters, &strtok_rest);
}

API char *strsep(char **restrict rest, const char *restrict delimiters)
{
	char *token = *rest;
	if (!token)
		return NULL;
	char *end = token + span(token, delimiters, 0);
	if (*end) {
		*end = 0;
		*rest = end + 1;
	} else {
		*rest = NULL;
	}
	return token;
}

static int first_set_bit(unsigned long long bits)
{
	if (!bits)
		return 0;
	int position = 1;
	while (!(bits & 1)) {
		bits >>= 1;
		position++;
	}
	return position;
}

API int ffs(int i)
{
	return first_set_bit((unsigned)i);
}

API int ffsl(long i)
{
	return first_set_bit((unsigned long)i);
}

API int ffsll(long long i)
{
	return first_set_bit((unsigned long long)i);
}
