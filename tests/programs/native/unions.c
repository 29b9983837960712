// Unions: type punning, tagged unions, anonymous members, arrays over structures, byte order.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum kind { INTEGER, REAL, TEXT, PAIR };

struct value {
	enum kind kind;
	union {
		long integer;
		double real;
		const char *text;
		struct {
			short left, right;
		};
	};
};

static void show(struct value v)
{
	switch (v.kind) {
	case INTEGER:
		printf("integer %ld\n", v.integer);
		break;
	case REAL:
		printf("real %g\n", v.real);
		break;
	case TEXT:
		printf("text %s\n", v.text);
		break;
	case PAIR:
		printf("pair %d %d\n", v.left, v.right);
		break;
	}
}

union number {
	double d;
	float f[2];
	uint64_t u;
	uint32_t w[2];
	unsigned char b[8];
};

union vector {
	struct {
		float x, y, z;
	};
	float at[3];
};

int main(void)
{
	struct value values[] = { { INTEGER, .integer = -5 }, { REAL, .real = 2.5 }, { TEXT, .text = "hello" }, { PAIR, .left = 3, .right = -4 } };
	for (int i = 0; i < 4; i++)
		show(values[i]);
	union number n = { .d = 1.0 };
	printf("%016llx %08x %08x %02x\n", (unsigned long long)n.u, n.w[0], n.w[1], n.b[7]);
	n.u ^= 1ull << 63;
	n.b[6] |= 8;
	printf("%g\n", n.d);
	n.f[0] = 1.5f;
	n.f[1] = -2.0f;
	printf("%016llx\n", (unsigned long long)n.u);
	union vector v = { .at = { 1, 2, 3 } };
	v.y *= 10;
	for (int i = 0; i < 3; i++)
		printf("%g ", v.at[i]);
	printf("%zu %zu %zu\n", sizeof v, sizeof n, sizeof(struct value));
	float f = 3.14f;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	printf("%08x\n", bits);
	double d = 1.0;
	for (int i = 0; i < 3; i++) {
		uint64_t u;
		memcpy(&u, &d, sizeof u);
		u += 1;
		memcpy(&d, &u, sizeof d);
	}
	printf("%.20g\n", d);
	return 0;
}
