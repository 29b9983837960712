// printf where implementations differ: zero flags on text, positions, wide strings, null strings, %n, %m, unknown and unfinished conversions.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void)
{
	printf("%g %#g %g %g %#g\n", 0.000099999995, 0.000099999995, 999999.5, 0.00009999994, 999999.5);
	printf("%05s|%05c|%-05d|%0-5d|%5%|%.0s|%#x %#o %#.0o|%+s\n", "ab", 'x', 5, 6, "zz", 0, 0, 0, "s");
	printf("% p|%+p|%020p|%.20p|%p\n", (void *)16, (void *)16, (void *)16, (void *)16, NULL);
	printf("%lc %ls|%.2ls|%d\n", L'a', L"abc", L"xyz", snprintf(NULL, 0, "%ls", L"\u20ac"));
	printf("%3$s %1$s %2$d %1$s %4$*5$d|\n", "a", 2, "x", 7, 9);
	printf("%s %.3s %.6s %10s|\n", (char *)0, (char *)0, (char *)0, (char *)0);
	printf("%.3d|%5.3d|%-8.3x|%+.2d|% d|%hhd|%hd|%ld|%zu|%jd|%td\n", 5, -7, 255, 3, 4, 300, 70000, -5L, (size_t)-1, (long)-3, (long)9);
	int n;
	printf("abc%n", &n);
	printf(" %d %m %y %\n", n);
	printf("%a %A %.0a %.3a %a %a %#.0a %20a|%-20a|%020a\n", 1.0, 255.5, 1.5, 3.14159, 0.0, -0.0, 1.0, 2.5, 2.5, -2.5);
	printf("%f %F %e %010f|%-10f|%+f\n", 1.0 / 0, -1.0 / 0, 0.0 / 0, -1.0 / 0, 1.0 / 0, 1.0 / 0);
	printf("%'d %*d|%-*d|%.*s|%.*d\n", 1234567, -6, 5, 6, 5, -1, "all", 3, 7);
	char b[4];
	printf("%d %s\n", snprintf(b, sizeof b, "%d", 123456), b);
	char *p;
	printf("%d", asprintf(&p, "%s-%d", "x", 5));
	puts(p);
	free(p);
	return 3;
}
