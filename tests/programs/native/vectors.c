// Vector extensions: arithmetic, comparison masks, shuffles, conversion, element access, as arguments and results.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int32_t v4si __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef uint8_t v16qi __attribute__((vector_size(16)));
typedef int64_t v2di __attribute__((vector_size(16)));

static void show(v4si v)
{
	printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]);
}

static v4sf axpy(float a, v4sf x, v4sf y)
{
	return a * x + y;
}

static int sum(v4si v)
{
	return v[0] + v[1] + v[2] + v[3];
}

static v4si select(v4si mask, v4si yes, v4si no)
{
	return (mask & yes) | (~mask & no);
}

int main(void)
{
	v4si a = { 1, -2, 3, -4 }, b = { 10, 20, 30, 40 };
	show(a + b);
	show(b / a);
	show(a * b - 5);
	show(b % 7);
	show(a << 3);
	show(a >> 1);
	show(-a ^ b);
	show(a > 0);
	show(a == (v4si){ 1, 0, 3, 0 });
	show(select(a > 0, a, b));
	show(__builtin_shufflevector(a, b, 0, 4, 3, 7));
	printf("%d\n", sum(a * a));
	v4sf x = { 0.5f, 1.5f, 2.5f, 3.5f };
	v4sf y = axpy(2, x, (v4sf){ 1, 2, 3, 4 });
	printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
	show(__builtin_convertvector(y, v4si));
	show((v4si)(x < 2.0f));
	v2df d = { 1e10, -0.5 };
	d = d * d + 1;
	printf("%.10g %.10g\n", d[0], d[1]);
	v16qi bytes;
	for (int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)(i * 20);
	bytes += 100;
	for (int i = 0; i < 16; i++)
		printf("%u ", bytes[i]);
	v2di wide;
	memcpy(&wide, &bytes, sizeof wide);
	printf("\n%llx %llx\n", (unsigned long long)wide[0], (unsigned long long)wide[1]);
	int array[12];
	for (int i = 0; i < 12; i++)
		array[i] = i * i;
	v4si total = { 0 };
	for (int i = 0; i < 12; i += 4) {
		v4si part;
		memcpy(&part, array + i, sizeof part);
		total += part;
	}
	show(total);
	int index = 2;
	total[index] = -1;
	printf("%d %zu\n", total[index] + total[3], sizeof total);
	return 0;
}
