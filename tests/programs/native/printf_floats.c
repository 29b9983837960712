// printf: %f %e %g %a with odd values, flags, widths and precisions.
//@ native
#include <float.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
	static const double values[] = { 0.0, -0.0, 1.0, -1.5, 0.1, 1.0 / 3, 2.5, 3.5, 0.5, 1e10, 123456789.125, 1e-5, 9.9995e-5, 99999.5,
					 999999.5, 1e15, 1e16, 1e17, 1e22, 1e23, 1e100, 1e-100, DBL_MAX, DBL_MIN, 5e-324, DBL_EPSILON, 0.000123456, 8.5e-10 };
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		double v = values[i];
		printf("%u: [%f] [%e] [%g] [%a]\n", i, v, v, v, v);
		printf("  [%.0f] [%.1f] [%.3f] [%.0e] [%.1e] [%.17g] [%.0g] [%.1g] [%.20g]\n", v, v, v, v, v, v, v, v, v);
		printf("  [%#.0f] [%#.0e] [%#g] [%#.3g] [%+g] [% g]\n", v, v, v, v, v, v);
		printf("  [%20.3e] [%-20.3e] [%020.3e] [%+20.3g] [%.0a] [%.1a] [%.5a] [%30a] [%030a]\n", v, v, v, v, v, v, v, v, v);
		printf("  [%F] [%E] [%G] [%A]\n", fabs(v) < 1e30 ? v : 0.0, v, v, v);
	}
	printf("[%f] [%e] [%g] [%a] [%F] [%E] [%G] [%A]\n", INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, INFINITY);
	printf("[%10f] [%-10f] [%010f] [%+f] [% f] [%.0f]\n", INFINITY, INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY);
	double nan = fabs(NAN);
	printf("[%f] [%10g] [%-10e] [%010a] [%+F] [%G]\n", nan, nan, nan, nan, nan, nan);
	printf("[%.50f]\n[%.40e]\n[%.60g]\n", 0.1, 0.1, 0.1);
	printf("[%.3f] [%.2f] [%.1f] [%.0f] [%.0f] [%.0f]\n", 1.0005, 2.675, 0.25, 0.5, 1.5, 2.5);
	printf("[%.*f] [%*.*f] [%-*.*e] [%.*g]\n", 2, 3.14159, 12, 3, 3.14159, 14, 2, 3.14159, -1, 3.14159);
	printf("[%.300f]\n", 5e-324);
	printf("[%f]\n", DBL_MAX);
	float f = 16777217.0f, third = 1.0f / 3;
	printf("%.9g %.9g %a\n", f, third, third);
	return 0;
}
