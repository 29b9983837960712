// string.h and strings.h: copying, joining, comparing, searching, splitting, duplicating.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static long offset(const char *base, const void *p)
{
	return p ? (const char *)p - base : -1;
}

static void copying(void)
{
	char a[32] = "start", b[32];
	printf("%zu %zu %zu\n", strlen(a), strnlen(a, 3), strnlen(a, 30));
	printf("%s ", strcpy(b, a));
	printf("%s ", strcat(b, "-middle"));
	printf("%s ", strncat(b, "-endless", 4));
	printf("%td\n", stpcpy(b, "abc") - b);
	memset(b, '#', sizeof b);
	strncpy(b, "xy", 5);
	printf("%.8s|%d%d%d\n", b, b[2], b[3], b[4]);
	memmove(a + 2, a, 5);
	a[7] = 0;
	printf("%s ", a);
	printf("%td %s\n", (char *)mempcpy(b, "mem", 4) - b, b);
	printf("%ld %ld\n", offset(b, memccpy(b, "stop here", 'p', 9)), offset(b, memccpy(b, "stop", 'x', 4)));
	char *copy = strdup("a duplicate"), *part = strndup(copy, 5);
	printf("[%s] [%s]\n", copy, part);
	free(copy);
	free(part);
}

static void comparing(void)
{
	printf("%d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("abc", "ab")), sign(strcmp("", "")), sign(strcmp("\x80", "\x7f")));
	printf("%d %d %d\n", sign(strncmp("abcX", "abcY", 3)), sign(strncmp("abcX", "abcY", 4)), sign(strncmp("a", "b", 0)));
	printf("%d %d %d\n", sign(strcasecmp("HeLLo", "hEllO")), sign(strncasecmp("abC", "ABd", 2)), sign(strcasecmp("_", "A")));
	printf("%d %d\n", sign(memcmp("a\0b", "a\0c", 3)), sign(memcmp("a\0b", "a\0c", 2)));
	printf("%d %d\n", sign(strcoll("b", "a")), sign(strverscmp("file9", "file10")));
}

static void searching(void)
{
	const char *s = "the rain in spain";
	printf("%ld %ld %ld %ld\n", offset(s, strchr(s, 'i')), offset(s, strrchr(s, 'i')), offset(s, strchr(s, 'z')), offset(s, strchr(s, 0)));
	printf("%ld %ld %ld %ld\n", offset(s, strstr(s, "in")), offset(s, strstr(s, "ain s")), offset(s, strstr(s, "x")), offset(s, strstr(s, "")));
	printf("%ld %ld\n", offset(s, strcasestr(s, "RAIN")), offset(s, strchrnul(s, 'z')));
	printf("%zu %zu %ld %ld\n", strspn(s, "eht "), strcspn(s, "nr"), offset(s, strpbrk(s, "xyzp")), offset(s, strpbrk(s, "XYZ")));
	printf("%ld %ld %ld\n", offset(s, memchr(s, 'a', 17)), offset(s, memrchr(s, 'a', 17)), offset(s, memmem(s, 17, "spa", 3)));
	printf("%ld %ld %d %d %d\n", offset(s, index(s, 'r')), offset(s, rindex(s, 'n')), ffs(0), ffs(8), ffsll(1ll << 40));
}

static void splitting(void)
{
	char a[] = "/usr//local/bin/", *save;
	for (char *t = strtok_r(a, "/", &save); t; t = strtok_r(NULL, "/", &save))
		printf("[%s]", t);
	printf("\n");
	char b[] = "a,b,,c;", *rest = b, *t;
	while ((t = strsep(&rest, ",;")))
		printf("[%s]", t);
	printf("\n");
	char c[] = "  x  y ";
	for (t = strtok(c, " "); t; t = strtok(NULL, " "))
		printf("[%s]", t);
	printf("\n%s, %s, %s\n", strerror(0), strerror(2), strerror(34));
}

int main(void)
{
	copying();
	comparing();
	searching();
	splitting();
	return 0;
}
