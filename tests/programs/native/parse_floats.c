// strtod and strtof: halfway cases, subnormals, overflow, hexadecimal, inf, nan, end pointers and errno.
//@ native
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	static const char *const texts[] = {
		"0", "-0", "1", "-1.5", ".5", "5.", ".", "1e", "1e+", "1e5x", "1.5e-7", "123456789012345678901234567890",
		"9007199254740993", "9007199254740992.99999999999999999", "9007199254740993.00000000000000000000001",
		"1.7976931348623157e308", "1.7976931348623159e308", "-1e400", "1e-400", "4.9e-324", "2.47e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "0x1p3", "0x1.8", "0x.8p1", "0x", "0x.p1", "0xAp-2q",
		"0x1.fffffffffffff8p1023", "0x1p-1074", "0x1p-1075", "0x1.8p-1075", "inf", "-Infinity", "infinite", "+1", "--1", "nan(1)x",
		"0.1", "0.3", "1e22", "1e23", "8.5e-10", "  \t7.25 ", "3.4028236e38", "1.17549429e-38", "16777217", "1e99999999999",
		"0e99999999999", "0.000000000000000000000000000000000000000000000001", "100000000000000000000000000000000000000000000000e-47",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *end, *float_end;
		errno = 0;
		double d = strtod(texts[i], &end);
		int error = errno;
		errno = 0;
		float f = strtof(texts[i], &float_end);
		if (isnan(d))
			printf("%s: nan %d %td\n", texts[i], isnan(f), end - texts[i]);
		else
			printf("%s: %a %.17g %td %d, %a %td %d\n", texts[i], d, d, end - texts[i], error, f, float_end - texts[i], errno);
	}
	printf("%g %g %g\n", atof("2.5kg"), atof("junk"), atof("-1e3"));
	char text[800] = "0.";
	for (int i = 2; i < 780; i++)
		text[i] = (char)('0' + i * 7 % 10);
	printf("%.17g\n", strtod(text, NULL));
	return 0;
}
