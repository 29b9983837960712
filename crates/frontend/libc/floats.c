// Floating point numbers from text, correctly rounded to nearest, ties to even.
//
// A short decimal is one exact floating point operation. Everything else is an exact fraction of big integers: the
// decimal D * 10^e is D * 5^e * 2^e, or D / 5^-e * 2^e, whose first 64 bits and "anything left?" come from one long
// division; the rounding then works on these, for binary32 and binary64 and for hexadecimal input alike.
// The rounding mode of the program is not looked at. long double is double here (-mlong-double-64).
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((weak))

struct format {
	int precision;    // bits of the significand with its leading one
	int min_exponent; // of the leading one of the smallest normal number
	int max_exponent;
};

static const struct format binary32 = { 24, -126, 127 };
static const struct format binary64 = { 53, -1022, 1023 };

// ---- big integers: limbs from low to high, no leading zero limbs ----

// No midpoint of two neighbouring doubles has more than 768 significant digits, so that a decimal cut after 800, with
// one digit that says "and more", compares with all midpoints as the whole would.
enum { MAX_DIGITS = 800 };
// The largest number is 5^1131 (800 digits at 10^-330), moved left by up to 95 bits: 2722 bits; D itself has 2662, and
// is moved to at most the same place.
enum { MAX_LIMBS = 96 };

struct big {
	int n;
	uint32_t limb[MAX_LIMBS];
};

static void multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
	uint64_t carry = addend;
	for (int i = 0; i < big->n; i++) {
		carry += (uint64_t)big->limb[i] * factor;
		big->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		big->limb[big->n++] = (uint32_t)carry;
}

static void multiply_power_of_5(struct big *big, long power)
{
	for (; power >= 13; power -= 13)
		multiply_add(big, 1220703125, 0); // 5^13, the largest that fits
	uint32_t rest = 1;
	for (; power > 0; power--)
		rest *= 5;
	multiply_add(big, rest, 0);
}

static int bit_length(const struct big *big)
{
	int bits = 0;
	for (uint32_t top = big->limb[big->n - 1]; top; top >>= 1)
		bits++;
	return 32 * (big->n - 1) + bits;
}

static void shift_left(struct big *big, int bits)
{
	int limbs = bits / 32;
	bits %= 32;
	for (int i = big->n - 1; i >= 0; i--)
		big->limb[i + limbs] = big->limb[i];
	for (int i = 0; i < limbs; i++)
		big->limb[i] = 0;
	big->n += limbs;
	multiply_add(big, 1u << bits, 0);
}

// num -= den * factor * 2^(32 * at), where num may be taken to have any number of leading zeros; false if that is negative,
// in which case num is the result modulo 2^(32 * (den->n + at + 1)).
static bool subtract_multiple(uint32_t *num, const struct big *den, uint32_t factor, int at)
{
	uint64_t carry = 0, borrow = 0;
	for (int i = 0; i <= den->n; i++) {
		carry += i < den->n ? (uint64_t)den->limb[i] * factor : 0;
		uint64_t difference = (uint64_t)num[at + i] - (uint32_t)carry - borrow;
		num[at + i] = (uint32_t)difference;
		borrow = difference >> 63;
		carry >>= 32;
	}
	return !borrow;
}

// Adds den * 2^(32 * at); true when the sum leaves the negative range, that is, when a carry comes out.
static bool add_back(uint32_t *num, const struct big *den, int at)
{
	uint64_t carry = 0;
	for (int i = 0; i <= den->n; i++) {
		carry += (uint64_t)num[at + i] + (i < den->n ? den->limb[i] : 0);
		num[at + i] = (uint32_t)carry;
		carry >>= 32;
	}
	return carry;
}

// floor(num / den) for num < den * 2^64 and den with its top bit set (Knuth, volume 2, algorithm D, two digits).
// Leaves the remainder in num, and says in *inexact whether it is not zero.
static uint64_t divide(struct big *num, const struct big *den, bool *inexact)
{
	uint64_t quotient = 0;
	for (int i = num->n; i < den->n + 2; i++)
		num->limb[i] = 0;
	for (int at = 1; at >= 0; at--) {
		uint32_t *top = num->limb + at + den->n;
		uint64_t guess = ((uint64_t)top[0] << 32 | top[-1]) / den->limb[den->n - 1];
		if (guess > UINT32_MAX)
			guess = UINT32_MAX;
		if (!subtract_multiple(num->limb, den, (uint32_t)guess, at)) {
			do
				guess--;
			while (!add_back(num->limb, den, at));
		}
		quotient = quotient << 32 | (uint32_t)guess;
	}
	*inexact = false;
	for (int i = 0; i < den->n; i++)
		*inexact |= num->limb[i] != 0;
	return quotient;
}

// ---- rounding ----

// The integer nearest to (bits + fraction) / 2^drop for drop <= 65, where the fraction is in (0, 1) if `sticky`, else 0.
static uint64_t round_bits(uint64_t bits, bool sticky, int drop, bool *inexact)
{
	uint64_t kept = drop < 64 ? bits >> drop : 0;
	bool half = drop >= 1 && drop <= 64 && bits >> (drop - 1) & 1;
	bool below = sticky || (drop > 64 ? bits != 0 : drop > 1 && bits << (65 - drop) != 0);
	*inexact = half || below;
	return kept + (half && (below || (kept & 1)));
}

static uint64_t infinity(const struct format *format)
{
	return (uint64_t)(2 * format->max_exponent + 1) << (format->precision - 1);
}

static uint64_t overflowed(const struct format *format)
{
	errno = ERANGE;
	return infinity(format);
}

// The encoding of (bits + fraction) * 2^exponent without sign; see round_bits for `sticky`. Sets ERANGE as glibc on x86
// does: on overflow, and on an inexact result that is tiny after rounding.
static uint64_t encode(const struct format *format, uint64_t bits, bool sticky, long exponent)
{
	while (!(bits >> 63)) {
		bits <<= 1;
		exponent--;
	}
	exponent += 63; // now that of the leading one
	if (exponent > format->max_exponent)
		return overflowed(format);
	bool inexact;
	int drop = 64 - format->precision;
	uint64_t hidden = 1ull << (format->precision - 1);
	if (exponent >= format->min_exponent) {
		uint64_t kept = round_bits(bits, sticky, drop, &inexact);
		// A carry out of the significand moves into the exponent by itself, up to the encoding of infinity.
		uint64_t result = ((uint64_t)(exponent - format->min_exponent + 1) << (format->precision - 1)) + (kept - hidden);
		return result >= infinity(format) ? overflowed(format) : result;
	}
	long missing = format->min_exponent - exponent;
	bool becomes_normal = missing == 1 && round_bits(bits, sticky, drop, &inexact) == 2 * hidden;
	uint64_t result = round_bits(bits, sticky, missing > format->precision ? 65 : drop + (int)missing, &inexact);
	if (inexact && !becomes_normal)
		errno = ERANGE;
	return result;
}

// ---- decimal ----

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

// Reads an optional exponent after `mark`; stays where it is if no digit follows. Saturates far beyond any format, yet far
// enough below LONG_MAX that a count of digits may be added.
static const char *scan_exponent(const char *s, char mark, long *exponent)
{
	*exponent = 0;
	if ((*s | 32) != mark)
		return s;
	const char *p = s + 1;
	bool negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	if (!is_digit(*p))
		return s;
	for (; is_digit(*p); p++)
		if (*exponent < LONG_MAX / 100)
			*exponent = *exponent * 10 + (*p - '0');
	if (negative)
		*exponent = -*exponent;
	return p;
}

struct decimal {
	const char *first; // the first digit that is not zero
	long digits;       // how many from there on, a decimal point not counted
	long exponent;     // of ten, of the last of these digits
	uint64_t leading;  // the value of the first 19 of them
};

static const char *scan_decimal(const char *s, struct decimal *decimal)
{
	*decimal = (struct decimal){ 0 };
	bool any = false, point = false;
	const char *p = s;
	long after_point = 0;
	for (;; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*p))
			break;
		any = true;
		after_point += point;
		if (!decimal->first && *p == '0')
			continue;
		if (!decimal->first)
			decimal->first = p;
		if (decimal->digits++ < 19)
			decimal->leading = decimal->leading * 10 + (uint64_t)(*p - '0');
	}
	if (!any)
		return NULL;
	const char *end = scan_exponent(p, 'e', &decimal->exponent);
	decimal->exponent -= after_point;
	return end;
}

static void big_from_digits(struct big *big, struct decimal *decimal)
{
	const char *p = decimal->first;
	long left = decimal->digits;
	bool more = false;
	big->n = 0;
	for (long taken = 0; left; p++) {
		if (*p == '.')
			continue;
		left--;
		if (taken < MAX_DIGITS) {
			multiply_add(big, 10, (uint32_t)(*p - '0'));
			taken++;
		} else {
			more |= *p != '0';
		}
	}
	if (decimal->digits > MAX_DIGITS) {
		decimal->exponent += decimal->digits - MAX_DIGITS - 1;
		multiply_add(big, 10, more);
	}
}

static uint64_t round_decimal(const struct format *format, struct decimal *decimal)
{
	if (!decimal->first)
		return 0;
	// The value is in [10^(magnitude-1), 10^magnitude).
	long magnitude = decimal->digits + decimal->exponent;
	if (magnitude > 310)
		return overflowed(format);
	if (magnitude < -330) {
		errno = ERANGE;
		return 0;
	}
	struct big num, den = { .n = 1, .limb = { 1 } };
	big_from_digits(&num, decimal);
	if (decimal->exponent >= 0)
		multiply_power_of_5(&num, decimal->exponent);
	else
		multiply_power_of_5(&den, -decimal->exponent);
	// Align so that the quotient has 63 or 64 bits and den fills its top limb.
	int bits_num = bit_length(&num), bits_den = bit_length(&den);
	int target = bits_den > bits_num - 63 ? bits_den : bits_num - 63;
	target = (target + 31) / 32 * 32;
	int shift_num = target + 63 - bits_num, shift_den = target - bits_den;
	shift_left(&num, shift_num);
	shift_left(&den, shift_den);
	bool sticky;
	uint64_t quotient = divide(&num, &den, &sticky);
	return encode(format, quotient, sticky, decimal->exponent - shift_num + shift_den);
}

// ---- hexadecimal, infinity, NaN ----

// The value of a hexadecimal digit, or 16.
static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	char low = c | 32;
	return low >= 'a' && low <= 'f' ? low - 'a' + 10 : 16;
}

static bool is_hexadecimal(const char *s)
{
	if (s[0] != '0' || (s[1] | 32) != 'x')
		return false;
	return hex_value(s[2]) < 16 || (s[2] == '.' && hex_value(s[3]) < 16);
}

static const char *parse_hexadecimal(const struct format *format, const char *s, uint64_t *encoding)
{
	uint64_t bits = 0;
	long exponent = 0;
	bool point = false, sticky = false;
	for (s += 2;; s++) {
		if (*s == '.' && !point) {
			point = true;
			continue;
		}
		int digit = hex_value(*s);
		if (digit == 16)
			break;
		if (bits >> 60) {
			sticky |= digit != 0;
			exponent += 4;
		} else {
			bits = bits << 4 | (uint64_t)digit;
		}
		exponent -= 4 * point;
	}
	long written;
	s = scan_exponent(s, 'p', &written);
	*encoding = bits ? encode(format, bits, sticky, exponent + written) : 0;
	return s;
}

static bool starts_with(const char *s, const char *word)
{
	for (; *word; s++, word++)
		if ((*s | 32) != *word)
			return false;
	return true;
}

// After "nan": an optional "(characters)", which glibc takes for the payload if it is one number.
static const char *parse_nan(const struct format *format, const char *s, uint64_t *encoding)
{
	uint64_t quiet = 1ull << (format->precision - 2);
	*encoding = infinity(format) | quiet;
	if (*s != '(')
		return s;
	const char *p = s + 1;
	while (is_digit(*p) || *p == '_' || ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
		p++;
	if (*p != ')')
		return s;
	char *end;
	uint64_t payload = strtoull(s + 1, &end, 0);
	if (end == p)
		*encoding |= payload & (quiet - 1);
	return p + 1;
}

// The encoding with its sign in bit 63; 0 and *end = text if there is no number.
static uint64_t parse(const struct format *format, const char *text, char **end)
{
	const char *s = text;
	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	uint64_t sign = (uint64_t)(*s == '-') << 63, encoding = 0;
	if (*s == '-' || *s == '+')
		s++;
	if (starts_with(s, "inf")) {
		s += starts_with(s, "infinity") ? 8 : 3;
		encoding = infinity(format);
	} else if (starts_with(s, "nan")) {
		s = parse_nan(format, s + 3, &encoding);
	} else if (is_hexadecimal(s)) {
		s = parse_hexadecimal(format, s, &encoding);
	} else {
		struct decimal decimal;
		s = scan_decimal(s, &decimal);
		if (!s) {
			s = text;
			sign = 0;
		} else if (format == &binary64 && decimal.digits <= 19 && decimal.leading <= 1ull << 53 &&
			   decimal.exponent >= -22 && decimal.exponent <= 22) {
			// Both operands are exact, so that the one operation rounds correctly.
			double power = 1, value = (double)decimal.leading;
			for (long i = labs(decimal.exponent); i; i--)
				power *= 10;
			value = decimal.exponent < 0 ? value / power : value * power;
			memcpy(&encoding, &value, sizeof value);
		} else {
			encoding = round_decimal(format, &decimal);
		}
	}
	if (end)
		*end = (char *)s;
	return sign | encoding;
}

API double strtod(const char *restrict text, char **restrict end)
{
	uint64_t encoding = parse(&binary64, text, end);
	double value;
	memcpy(&value, &encoding, sizeof value);
	return value;
}

API float strtof(const char *restrict text, char **restrict end)
{
	uint64_t wide = parse(&binary32, text, end);
	uint32_t encoding = (uint32_t)(wide >> 32 & 0x80000000u) | (uint32_t)wide;
	float value;
	memcpy(&value, &encoding, sizeof value);
	return value;
}

API long double strtold(const char *restrict text, char **restrict end)
{
	return strtod(text, end);
}

API double strtod_l(const char *restrict text, char **restrict end, locale_t locale)
{
	(void)locale;
	return strtod(text, end);
}

API float strtof_l(const char *restrict text, char **restrict end, locale_t locale)
{
	(void)locale;
	return strtof(text, end);
}

API double atof(const char *text)
{
	return strtod(text, NULL);
}
