// Matrices on the heap: product, transposition, Gaussian elimination with pivoting, determinant, power.
//@ native
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
	int rows, columns;
	double *at;
};

static struct matrix create(int rows, int columns)
{
	return (struct matrix){ rows, columns, calloc((size_t)rows * (size_t)columns, sizeof(double)) };
}

static double *cell(struct matrix m, int i, int j)
{
	return &m.at[i * m.columns + j];
}

static struct matrix product(struct matrix a, struct matrix b)
{
	struct matrix c = create(a.rows, b.columns);
	for (int i = 0; i < a.rows; i++)
		for (int k = 0; k < a.columns; k++)
			for (int j = 0; j < b.columns; j++)
				*cell(c, i, j) += *cell(a, i, k) * *cell(b, k, j);
	return c;
}

static double determinant(struct matrix m)
{
	double *saved = m.at, result = 1;
	size_t bytes = (size_t)m.rows * (size_t)m.columns * sizeof *m.at;
	m.at = memcpy(malloc(bytes), saved, bytes);
	for (int k = 0; k < m.rows; k++) {
		int pivot = k;
		for (int i = k + 1; i < m.rows; i++)
			if (fabs(*cell(m, i, k)) > fabs(*cell(m, pivot, k)))
				pivot = i;
		if (*cell(m, pivot, k) == 0) {
			result = 0;
			break;
		}
		if (pivot != k)
			result = -result;
		for (int j = 0; j < m.columns; j++) {
			double t = *cell(m, k, j);
			*cell(m, k, j) = *cell(m, pivot, j);
			*cell(m, pivot, j) = t;
		}
		result *= *cell(m, k, k);
		for (int i = k + 1; i < m.rows; i++) {
			double factor = *cell(m, i, k) / *cell(m, k, k);
			for (int j = k; j < m.columns; j++)
				*cell(m, i, j) -= factor * *cell(m, k, j);
		}
	}
	free(m.at);
	return result;
}

static void print(struct matrix m)
{
	for (int i = 0; i < m.rows; i++) {
		for (int j = 0; j < m.columns; j++)
			printf("%10.4g", *cell(m, i, j));
		printf("\n");
	}
}

int main(void)
{
	struct matrix a = create(4, 3), b = create(3, 4), h = create(5, 5);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 3; j++) {
			*cell(a, i, j) = i + 2 * j;
			*cell(b, j, i) = i * j - 1.5;
		}
	struct matrix ab = product(a, b), ba = product(b, a);
	print(ab);
	print(ba);
	printf("%.10g %.10g\n", determinant(ab), determinant(ba));
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			*cell(h, i, j) = 1.0 / (i + j + 1);
	printf("%.6e\n", determinant(h));
	struct matrix f = create(2, 2), power = create(2, 2);
	f.at[0] = f.at[1] = f.at[2] = 1;
	power.at[0] = power.at[3] = 1;
	for (int i = 0; i < 30; i++) {
		struct matrix next = product(power, f);
		free(power.at);
		power = next;
	}
	printf("%.0f\n", power.at[1]);
	struct matrix all[] = { a, b, h, ab, ba, f, power };
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i].at);
	return 0;
}
