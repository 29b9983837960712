// _Complex double and float: arithmetic, comparison, conversion, as arguments and results, Mandelbrot.
//@ native
#include <complex.h>
#include <stdio.h>

static void show(double complex z)
{
	printf("%.15g%+.15gi\n", creal(z), cimag(z));
}

static double complex square_plus(double complex z, double complex c)
{
	return z * z + c;
}

static float complex swap(float complex z)
{
	return __builtin_complex(cimagf(z), crealf(z));
}

static double complex horner(const double complex *coefficients, int n, double complex x)
{
	double complex sum = 0;
	while (n--)
		sum = sum * x + coefficients[n];
	return sum;
}

int main(void)
{
	double complex a = 3 + 4 * I, b = 1 - 2 * I;
	show(a + b);
	show(a - b);
	show(a * b);
	show(a / b);
	show(-a);
	show(conj(a));
	show(a * 2.0);
	show(1.0 / a);
	show(a / 2);
	printf("%d %d %d\n", a == b, a != b, a == 3 + 4 * I);
	a += b;
	a *= I;
	show(a);
	float complex f = swap(1.5f + 2.5f * I);
	show(f);
	show(f / (0.5f - 0.25f * I));
	show(f * f);
	const double complex coefficients[] = { 1, I, 2 - I, 0.5 };
	show(horner(coefficients, 4, 1 + I));
	double real = (double)(2.75 + 9 * I);
	printf("%g %zu\n", real, sizeof a);
	for (int row = -5; row <= 5; row++) {
		for (int column = -20; column <= 10; column++) {
			double complex z = 0, c = column / 10.0 + row / 5.0 * I;
			int n = 0;
			while (n < 30 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4) {
				z = square_plus(z, c);
				n++;
			}
			putchar(" .:-=+*#%@"[n / 4 > 9 ? 9 : n / 4]);
		}
		putchar('\n');
	}
	return 0;
}
