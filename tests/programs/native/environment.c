// The environment, locale, error numbers of libm, time arithmetic, 48-bit random numbers, multibyte characters.
//@ native
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

extern char **environ;

static void show(const char *name)
{
	const char *value = getenv(name);
	printf("%s=%s ", name, value ? value : "-");
}

static void vary(void)
{
	clearenv();
	show("A");
	setenv("A", "1", 0);
	setenv("A", "2", 0);
	show("A");
	setenv("A", "3", 1);
	show("A");
	static char text[] = "B=first";
	putenv(text);
	show("B");
	text[2] = 'F';
	show("B");
	setenv("ABC", "long", 1);
	show("AB");
	unsetenv("A");
	show("A");
	putenv("B");
	show("B");
	printf("%d %d %s\n", setenv("", "x", 1), setenv("a=b", "x", 1), strerror(errno));
	for (char **e = environ; *e; e++)
		puts(*e);
}

static void domain(void)
{
	struct { const char *name; double (*f)(double); double x; } all[] = {
		{ "sqrt", sqrt, -1 }, { "log", log, 0 }, { "log", log, -1 }, { "log1p", log1p, -1 }, { "acos", acos, 2 }, { "exp", exp, 1000 },
		{ "exp", exp, -1000 }, { "tgamma", tgamma, 0 }, { "tgamma", tgamma, -1 }, { "lgamma", lgamma, 0 }, { "atanh", atanh, 1 }, { "sin", sin, INFINITY },
		{ "cosh", cosh, 1000 }, { "logb", logb, 0 }, { "exp2", exp2, 2000 }, { "expm1", expm1, 1000 }, { "cbrt", cbrt, -27 }, { "erf", erf, 0.5 }, { "round", round, -2.5 },
		{ "rint", rint, 2.5 }, { "nearbyint", nearbyint, 3.5 }, { "trunc", trunc, -0.5 }, { "log2", log2, 10 }, { "log10", log10, 0.001 }, { "asinh", asinh, 2 },
	};
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		errno = 0;
		double y = all[i].f(all[i].x);
		printf("%s(%g) = %.17g %d\n", all[i].name, all[i].x, fabs(y) != fabs(y) ? NAN : y, errno);
	}
	double whole, s, c;
	int exponent, quotient;
	printf("%g ", modf(-3.75, &whole));
	printf("%g ", whole);
	printf("%g ", modf(-INFINITY, &whole));
	printf("%g ", frexp(-80.5, &exponent));
	printf("%d ", exponent);
	printf("%g ", frexp(5e-324, &exponent));
	printf("%d ", exponent);
	printf("%g ", frexp(1.7e308, &exponent));
	printf("%d ", exponent);
	sincos(1, &s, &c);
	printf("%.17g %.17g ", s, c);
	printf("%g ", remquo(29, 3, &quotient));
	printf("%d ", quotient);
	printf("%g ", remquo(-7.5, 2, &quotient));
	printf("%d\n", quotient);
	printf("%ld %ld %ld %d %d %g %g\n", lround(-2.5), lrint(-2.5), lround(1e15 + 0.5), ilogb(1000), ilogb(0), ldexp(3, -1080), scalbln(1, 10));
	printf("%g %g %g %g %g\n", fmod(-7, 3), remainder(7, 4), fdim(3, 5), nextafter(1, 2) - 1, fma(1e16, 1e16, -1e32));
	printf("%.9g %.9g %.9g %.9g\n", sinf(1), powf(2, 0.5f), logf(10), hypotf(3, 4));
}

int main(void)
{
	vary();
	domain();
	printf("%s %s ", setlocale(LC_ALL, ""), setlocale(LC_ALL, NULL));
	printf("%s %s %d\n", localeconv()->decimal_point, localeconv()->thousands_sep, localeconv()->frac_digits == CHAR_MAX);
	srand48(5);
	printf("%.15g %ld %ld\n", drand48(), lrand48(), mrand48());
	unsigned short state[3] = { 1, 2, 3 };
	printf("%.15g %ld %ld %d\n", erand48(state), nrand48(state), jrand48(state), state[0]);
	srandom(7);
	printf("%ld %ld\n", random(), random());
	wchar_t wide[10];
	char narrow[10];
	printf("%zu %d %d %zu %zu %s\n", mbstowcs(wide, "abc", 10), (int)wide[2], mblen("x", 1), wcslen(wide), wcstombs(narrow, wide, 10), narrow);
	wchar_t w;
	printf("%d %d %d %zu\n", mbtowc(&w, "q", 1), (int)w, wctomb(narrow, L'z'), MB_CUR_MAX);
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%d %d\n", b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec), time(NULL) > 1700000000);
	clock_t start = clock();
	while (clock() == start)
		;
	errno = ENOENT;
	printf("%m\n");
	errno = EACCES;
	warn("cannot %s", "do");
	errx(7, "giving up after %d", 3);
}
