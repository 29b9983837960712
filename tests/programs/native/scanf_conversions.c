// scanf in all its forms: what each conversion takes, leaves and gives back on odd input, widths, sets, suppression, %n, EOF.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <errno.h>

static const char *inputs[] = {
	"", " ", "12", "-12abc", "+", "-", "0x", "0xg", "0x1F", "077", "08", "1e", "1e+", "1e5", "1.5.2", ".", ".5", "5.", "-.5e-3x",
	"inf", "infinity", "infinit", "nan", "NaN(1)", "nanx", "0x1.8p3", "0x.8", "0x.", "0xp1", "abc def", "  abc", "99999999999999999999", "-99999999999999999999",
	"4294967296", "a,b", "%", "(nil)", "(nix", "0b11", "1 2 3", "12 34", "\n\n7", "i", "in", "--5", "+-5", "1e400", "1e-400", "3.14159265358979",
};

static void ints(const char *s)
{
	int a = -1, n = -1, r;
	unsigned u = 1;
	long l = -1;
	short h = -1;
	signed char c = -1;
	void *p = (void *)1;
	r = sscanf(s, "%d%n", &a, &n);
	printf("d %d %d %d|", r, a, n);
	n = -1;
	r = sscanf(s, "%i%n", &a, &n);
	printf("i %d %d %d|", r, a, n);
	n = -1;
	r = sscanf(s, "%x%n", &u, &n);
	printf("x %d %u %d|", r, u, n);
	r = sscanf(s, "%o", &u);
	printf("o %d %u|", r, u);
	r = sscanf(s, "%u", &u);
	printf("u %d %u|", r, u);
	r = sscanf(s, "%ld", &l);
	printf("ld %d %ld|", r, l);
	r = sscanf(s, "%lu", &l);
	printf("lu %d %ld|", r, l);
	r = sscanf(s, "%hd", &h);
	printf("hd %d %d|", r, h);
	r = sscanf(s, "%hhd", &c);
	printf("hhd %d %d|", r, c);
	r = sscanf(s, "%2d%n", &a, &n);
	printf("2d %d %d %d|", r, a, n);
	r = sscanf(s, "%1x%n", &u, &n);
	printf("1x %d %u %d|", r, u, n);
	r = sscanf(s, "%3i%n", &a, &n);
	printf("3i %d %d %d|", r, a, n);
	r = sscanf(s, "%p%n", &p, &n);
	printf("p %d %p %d\n", r, p, n);
}

static void floats(const char *s)
{
	double d = -7;
	float f = -7;
	int n = -1, r;
	r = sscanf(s, "%lf%n", &d, &n);
	printf("lf %d %.17g %d|", r, d, n);
	n = -1;
	r = sscanf(s, "%f%n", &f, &n);
	printf("f %d %.9g %d|", r, f, n);
	n = -1;
	r = sscanf(s, "%3lg%n", &d, &n);
	printf("3g %d %.17g %d|", r, d, n);
	n = -1;
	r = sscanf(s, "%1le%n", &d, &n);
	printf("1e %d %.17g %d|", r, d, n);
	n = -1;
	r = sscanf(s, "%2a%n", &f, &n);
	printf("2a %d %.9g %d\n", r, f, n);
}

static void texts(const char *s)
{
	char a[40] = "?", b[40] = "?", c[8] = "???????";
	int n = -1, r;
	r = sscanf(s, "%s%n", a, &n);
	printf("s %d [%s] %d|", r, a, n);
	r = sscanf(s, "%2s%s", a, b);
	printf("2s %d [%s] [%s]|", r, a, b);
	r = sscanf(s, "%c", c);
	printf("c %d %.7s|", r, c);
	memset(c, '?', 7);
	r = sscanf(s, "%3c", c);
	printf("3c %d %.7s|", r, c);
	n = -1;
	r = sscanf(s, "%[0-9]%n", a, &n);
	printf("[0-9] %d [%s] %d|", r, a, n);
	n = -1;
	r = sscanf(s, "%[^,]%*c%[]a-]%n", a, b, &n);
	printf("[^,] %d [%s] [%s] %d|", r, a, b, n);
	r = sscanf(s, "%*d%s", a);
	printf("*d %d [%s]|", r, a);
	r = sscanf(s, " %% %n", &n);
	printf("%% %d %d|", r, n);
	r = sscanf(s, "1 2%d", &n);
	printf("lit %d %d|", r, n);
	char *m = NULL;
	r = sscanf(s, "%ms", &m);
	printf("ms %d %s|", r, r == 1 ? m : "-");
	if (r == 1)
		free(m);
	r = sscanf(s, "%2$s %1$s", a, b);
	printf("pos %d %s %s\n", r, a, b);
}

static int wrapped(const char *s, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int r = vsscanf(s, format, list);
	va_end(list);
	return r;
}

int main(void)
{
	for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		printf("<%s>\n", inputs[i]);
		ints(inputs[i]);
		floats(inputs[i]);
		texts(inputs[i]);
	}
	int a, b;
	char word[10];
	printf("%d %d %d %s\n", wrapped("5 six 7", "%d %9s %d", &a, word, &b), a, b, word);
	errno = 0;
	long l;
	sscanf("99999999999999999999", "%ld", &l);
	printf("%d\n", errno == ERANGE);
	FILE *f = fopen("scan.tmp", "w+");
	fputs("0xzz 12ab -x 1e+y (n 3,4;5\nline two\n", f);
	rewind(f);
	unsigned u;
	double d;
	int r;
	r = fscanf(f, "%x", &u);
	printf("%d %u %c %ld\n", r, u, getc(f), ftell(f));
	r = fscanf(f, "%*s %d%2s", &a, word);
	printf("%d %d %s %ld\n", r, a, word, ftell(f));
	r = fscanf(f, "%d", &a);
	printf("%d %c %ld\n", r, getc(f), ftell(f));
	r = fscanf(f, "%lf", &d);
	printf("%d %g %ld %c\n", r, d, ftell(f), getc(f));
	void *p;
	r = fscanf(f, "%p", &p);
	printf("%d %ld\n", r, ftell(f));
	r = fscanf(f, " %d , %d;%d", &a, &b, &r);
	printf("%d %ld\n", r, ftell(f));
	while (fscanf(f, "%9s", word) == 1)
		printf("[%s]", word);
	printf(" %d %d\n", feof(f), fscanf(f, "%d", &a));
	fclose(f);
	remove("scan.tmp");
	return 0;
}
