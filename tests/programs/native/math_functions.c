// math.h: exact functions to the last bit, transcendental ones to ten digits, special values.
//@ native
#include <math.h>
#include <stdio.h>

#define SHOW1(f) printf(#f ": %.10g %.10g %.10g %.10g\n", f(0.5), f(1.0), f(0.0), f(0.25))

int main(void)
{
	static const double values[] = { 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4999, 1e15 + 0.5, -0.0, 4503599627370497.5 };
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		double v = values[i];
		printf("%g: %g %g %g %g %g %g %ld %ld\n", v, floor(v), ceil(v), trunc(v), round(v), rint(v), nearbyint(v), lround(v), lrint(v));
	}
	printf("%.17g %.17g %.17g\n", sqrt(2), sqrt(1e300), sqrt(0.0));
	printf("%g %g %g %g\n", fabs(-3.0), fmin(1, 2), fmax(NAN, 2), fdim(5, 3));
	printf("%.17g %.17g %.17g %g\n", fmod(10.5, 3), fmod(-10.5, 3), fmod(1e300, 7), remainder(10.5, 3));
	int exponent;
	double fraction = frexp(40, &exponent), whole, part = modf(-3.75, &whole);
	printf("%g %d %g %g %g %g\n", fraction, exponent, whole, part, ldexp(0.75, 10), scalbn(3, -4));
	printf("%g %d %g\n", logb(1000), ilogb(1000), copysign(3, -1));
	printf("%a %a %a\n", nextafter(1, 2), nextafter(1, 0), nextafter(0, 1));
	printf("%.9g %.9g %.9g\n", sqrtf(2), fabsf(-1.5f), floorf(-1.5f));
	SHOW1(sin);
	SHOW1(cos);
	SHOW1(tan);
	SHOW1(asin);
	SHOW1(acos);
	SHOW1(atan);
	SHOW1(sinh);
	SHOW1(cosh);
	SHOW1(tanh);
	SHOW1(exp);
	SHOW1(exp2);
	SHOW1(expm1);
	SHOW1(log1p);
	SHOW1(cbrt);
	SHOW1(erf);
	printf("%.10g %.10g %.10g %.10g\n", log(10), log2(10), log10(2), log2(8));
	printf("%.10g %.10g %.10g %.10g\n", pow(2, 0.5), pow(2, 10), pow(-2, 3), pow(2, -1));
	printf("%.10g %.10g %.10g\n", atan2(1, -1), atan2(-1, -1), hypot(3, 4));
	printf("%.10g %.10g\n", tgamma(5), lgamma(10));
	printf("%g %g %d %d\n", log(0), exp(-1e4), isnan(sqrt(-1)) != 0, isinf(exp(1e4)) != 0);
	double area = 0;
	for (int i = 0; i < 1000; i++)
		area += sin((i + 0.5) * 3.14159265358979323846 / 1000) * 3.14159265358979323846 / 1000;
	printf("%.10f\n", area);
	return 0;
}
