// What clang calls for products and quotients of complex numbers, and the trivial functions of complex.h.
//
// Products recover infinities as C11 Annex G.5.1 shows. Quotients of doubles use Smith's method (CACM 5, 1962), of
// floats the definition in double, in the operation order of libgcc, so that ordinary values come out to the last bit
// as in a native build; libgcc also rescales doubles near the ends of the range, which this does not.
#define __NO_INLINE__ 1
#include <complex.h>

#define API __attribute__((weak))

#define INFINITE(x) __builtin_isinf(x)
#define NAN_(x) ((x) != (x))

static float _Complex quotient_sc(double a, double b, double c, double d)
{
	double denominator = c * c + d * d;
	return __builtin_complex((float)((a * c + b * d) / denominator), (float)((b * c - a * d) / denominator));
}

static double _Complex quotient_dc(double a, double b, double c, double d)
{
	if (__builtin_fabs(c) < __builtin_fabs(d)) {
		double ratio = c / d, denominator = c * ratio + d;
		return __builtin_complex((a * ratio + b) / denominator, (b * ratio - a) / denominator);
	}
	double ratio = d / c, denominator = d * ratio + c;
	return __builtin_complex((b * ratio + a) / denominator, (b - a * ratio) / denominator);
}

// The real type, its functions' suffix and the helpers' suffix: one text for float and double.
#define COMPLEX(real, f, dc) \
	real _Complex __mul##dc##3(real a, real b, real c, real d); \
	real _Complex __div##dc##3(real a, real b, real c, real d); \
	static real box_##dc(real x) \
	{ \
		return __builtin_copysign##f(INFINITE(x) ? 1 : 0, x); \
	} \
	static real number_##dc(real x) \
	{ \
		return NAN_(x) ? __builtin_copysign##f(0, x) : x; \
	} \
	static real _Complex pair_##dc(real re, real im) \
	{ \
		return __builtin_complex(re, im); \
	} \
	API real _Complex __mul##dc##3(real a, real b, real c, real d) \
	{ \
		real ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
		real re = ac - bd, im = ad + bc; \
		if (!NAN_(re) || !NAN_(im)) \
			return pair_##dc(re, im); \
		int recover = 0; \
		if (INFINITE(a) || INFINITE(b)) { \
			a = box_##dc(a), b = box_##dc(b); \
			c = number_##dc(c), d = number_##dc(d); \
			recover = 1; \
		} \
		if (INFINITE(c) || INFINITE(d)) { \
			c = box_##dc(c), d = box_##dc(d); \
			a = number_##dc(a), b = number_##dc(b); \
			recover = 1; \
		} \
		if (!recover && (INFINITE(ac) || INFINITE(bd) || INFINITE(ad) || INFINITE(bc))) { \
			a = number_##dc(a), b = number_##dc(b); \
			c = number_##dc(c), d = number_##dc(d); \
			recover = 1; \
		} \
		if (!recover) \
			return pair_##dc(re, im); \
		real inf = __builtin_inf##f(); \
		return pair_##dc(inf * (a * c - b * d), inf * (a * d + b * c)); \
	} \
	API real _Complex __div##dc##3(real a, real b, real c, real d) \
	{ \
		real _Complex plain = quotient_##dc(a, b, c, d); \
		if (!NAN_(__real__ plain) || !NAN_(__imag__ plain)) \
			return plain; \
		real inf = __builtin_inf##f(); \
		if (c == 0 && d == 0 && (!NAN_(a) || !NAN_(b))) \
			return pair_##dc(__builtin_copysign##f(inf, c) * a, __builtin_copysign##f(inf, c) * b); \
		if ((INFINITE(a) || INFINITE(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) { \
			a = box_##dc(a), b = box_##dc(b); \
			return pair_##dc(inf * (a * c + b * d), inf * (b * c - a * d)); \
		} \
		if ((INFINITE(c) || INFINITE(d)) && __builtin_isfinite(a) && __builtin_isfinite(b)) { \
			c = box_##dc(c), d = box_##dc(d); \
			return pair_##dc(0 * (a * c + b * d), 0 * (b * c - a * d)); \
		} \
		return plain; \
	} \
	API real creal##f(real _Complex z) \
	{ \
		return __real__ z; \
	} \
	API real cimag##f(real _Complex z) \
	{ \
		return __imag__ z; \
	} \
	API real _Complex conj##f(real _Complex z) \
	{ \
		return pair_##dc(__real__ z, -__imag__ z); \
	}

COMPLEX(float, f, sc)
COMPLEX(double, , dc)
