// The few wide string functions that plain programs use.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <string.h>
#include <wchar.h>

#define API __attribute__((weak))

API size_t wcslen(const wchar_t *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

API wchar_t *wcscpy(wchar_t *restrict dst, const wchar_t *restrict src)
{
	for (size_t i = 0; (dst[i] = src[i]); i++)
		;
	return dst;
}

API wchar_t *wcsncpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n)
{
	size_t i = 0;
	for (; i < n && src[i]; i++)
		dst[i] = src[i];
	for (; i < n; i++)
		dst[i] = 0;
	return dst;
}

API wchar_t *wcscat(wchar_t *restrict dst, const wchar_t *restrict src)
{
	wcscpy(dst + wcslen(dst), src);
	return dst;
}

API int wcscmp(const wchar_t *a, const wchar_t *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a < *b ? -1 : *a > *b;
}

API int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] || !a[i])
			return a[i] < b[i] ? -1 : a[i] > b[i];
	return 0;
}

API wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
	while (*s && *s != c)
		s++;
	return *s == c ? (wchar_t *)s : NULL;
}

API wchar_t *wmemcpy(wchar_t *restrict dst, const wchar_t *restrict src, size_t n)
{
	return memcpy(dst, src, n * sizeof *dst);
}

API wchar_t *wmemset(wchar_t *s, wchar_t c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s[i] = c;
	return s;
}
