// sscanf: every conversion, widths, suppression, scan sets, %n and its results on failure.
//@ native
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	int a = 0, b = 0, c = 0, n = 0;
	unsigned u = 0, o = 0, x = 0;
	printf("%d", sscanf("12 -34 +56", "%d %d %d", &a, &b, &c));
	printf(" %d %d %d\n", a, b, c);
	printf("%d", sscanf("0x1f 017 99", "%i %i %i", &a, &b, &c));
	printf(" %d %d %d\n", a, b, c);
	printf("%d", sscanf("42 755 DeadBeef", "%u %o %x", &u, &o, &x));
	printf(" %u %o %x\n", u, o, x);
	signed char hh = 0;
	short h = 0;
	long l = 0;
	long long ll = 0;
	size_t z = 0;
	intmax_t j = 0;
	printf("%d", sscanf("-100 -30000 123456789012 -9223372036854775808 77 -88", "%hhd %hd %ld %lld %zu %jd", &hh, &h, &l, &ll, &z, &j));
	printf(" %d %d %ld %lld %zu %jd\n", hh, h, l, ll, z, j);
	float f = 0;
	double d = 0, e = 0;
	printf("%d", sscanf("3.25 -1e-3 0x1.8p2", "%f %lf %lf", &f, &d, &e));
	printf(" %g %g %g\n", f, d, e);
	printf("%d", sscanf("inf nan .5e1", "%lf %f %lg", &d, &f, &e));
	printf(" %g %d %g\n", d, f != f, e);
	char s[32] = "", t[32] = "", ch = 0, two[2] = "";
	printf("%d", sscanf("  hello world!", "%s %5s%c", s, t, &ch));
	printf(" [%s] [%s] [%c]\n", s, t, ch);
	printf("%d", sscanf("abcdef", "%2c%3s", two, s));
	printf(" [%.2s] [%s]\n", two, s);
	printf("%d", sscanf("key=value;rest", "%[^=]=%[a-z];%n", s, t, &n));
	printf(" [%s] [%s] %d\n", s, t, n);
	printf("%d", sscanf("]]-^x", "%[]^-]%c", s, &ch));
	printf(" [%s] [%c]\n", s, ch);
	printf("%d", sscanf("12345678", "%3d%2d%d", &a, &b, &c));
	printf(" %d %d %d\n", a, b, c);
	printf("%d", sscanf("10 20 30", "%*d %d %*s", &a));
	printf(" %d\n", a);
	printf("%d", sscanf("2024-02-29T23:59:58", "%4d-%2d-%2dT%2u:%2o:%2x", &a, &b, &c, &u, &o, &x));
	printf(" %d %d %d %u %u %u\n", a, b, c, u, o, x);
	printf("%d ", sscanf("", "%d", &a));
	printf("%d ", sscanf("   ", "%d", &a));
	printf("%d ", sscanf("x", "%d", &a));
	printf("%d ", sscanf("5 x", "%d %d", &a, &b));
	printf("%d ", sscanf("5%6", "%d%%%d", &a, &b));
	printf("%d\n", sscanf("abc", "abd%d", &a));
	n = -1;
	printf("%d", sscanf("  7  tail", " %d %n", &a, &n));
	printf(" %d %d\n", a, n);
	printf("%d", sscanf("1,2,,3", "%d,%d,%d", &a, &b, &c));
	printf(" %d %d\n", a, b);
	printf("%d", sscanf("-0x10 - 5", "%x %d", &x, &a));
	printf(" %d\n", (int)x);
	return 0;
}
