// Floating point: rounding, conversions at defined edges, float against double, signed zeros, NaN comparisons, classification.
//@ native
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static volatile double zero = 0.0;

static const char *class_of(double x)
{
	switch (fpclassify(x)) {
	case FP_NAN:
		return "nan";
	case FP_INFINITE:
		return "infinite";
	case FP_ZERO:
		return "zero";
	case FP_SUBNORMAL:
		return "subnormal";
	default:
		return "normal";
	}
}

int main(void)
{
	printf("%.17g %.17g %.17g\n", 0.1 + 0.2, 1e16 + 1.0, 1e16 + 3.0);
	printf("%.9g %.9g\n", 0.1f + 0.2f, 16777216.0f + 1.0f);
	float third = 1.0f / 3.0f;
	double widened = third;
	printf("%.17g %.17g %d\n", widened, (double)third * 3, third == 1.0 / 3);
	printf("%d %d %d %d\n", (int)2.9, (int)-2.9, (int)2147483647.0, (int)-2147483648.9);
	printf("%u %lld %llu\n", (unsigned)4294967295.5, (long long)-9223372036854775808.0, (unsigned long long)18446744073709549568.0);
	printf("%d %d %d\n", (signed char)-128.5, (unsigned char)255.9, (short)32767.99);
	printf("%.17g %.17g %.9g\n", (double)LLONG_MAX, (double)ULLONG_MAX, (float)INT_MAX);
	printf("%.17g %.9g\n", (double)9007199254740993ll, (float)16777217);
	printf("%g %g %g %g\n", 1 / zero, -1 / zero, 1 / -zero, copysign(1, -zero));
	double nan = zero / zero;
	printf("%d %d %d %d %d %d\n", nan == nan, nan != nan, nan < 1, nan > 1, !(nan >= 1), isunordered(nan, 1));
	printf("%d %d %d\n", zero == -zero, signbit(-zero) != 0, signbit(zero) != 0);
	printf("%s %s %s %s %s\n", class_of(nan), class_of(1 / zero), class_of(-zero), class_of(DBL_MIN / 2), class_of(1));
	printf("%a %a %a\n", DBL_MIN / 3, DBL_MAX * 2, FLT_MIN / 1e10f);
	printf("%.17g %.17g\n", fma(0.1, 10, -1), 0.1 * 10 - 1);
	printf("%.9g\n", fmaf(0.1f, 10, -1));
	double sum = 0;
	float float_sum = 0;
	for (int i = 1; i <= 10000; i++) {
		sum += 1.0 / i;
		float_sum += 1.0f / (float)i;
	}
	printf("%.17g %.9g\n", sum, float_sum);
	double compensated = 0, carry = 0;
	for (int i = 1; i <= 10000; i++) {
		double term = 1.0 / i - carry, next = compensated + term;
		carry = next - compensated - term;
		compensated = next;
	}
	printf("%.17g\n", compensated);
	double tenth = 0.1, minus_zero = -zero;
	_Bool truth = tenth;
	printf("%d %d %d %d\n", truth, (int)(0.1f * 10) == 1, minus_zero ? 1 : 0, nan ? 1 : 0);
	double x = 5.5;
	x += 1;
	x++;
	x = -x;
	printf("%g %g\n", x, x / 0.25);
	return 0;
}
