// Character classes of the "C" locale: the functions of ctype.h, and the tables that glibc's macros read.
//
// The functions compare instead of looking up, which suits symbolic characters, but return the very bits of the table,
// so that code compiled with and without the macros (-D__NO_CTYPE) prints the same. A program that indexes the tables
// with an argument outside -128..255 runs off the end of an object, and is reported.
#define _GNU_SOURCE
#define __NO_INLINE__ 1
#define __NO_CTYPE 1
#include <ctype.h>
#include <locale.h>
#include <stdint.h>

#define API __attribute__((weak))

#undef tolower_l
#undef toupper_l

enum {
	DIGIT = _ISdigit | _ISxdigit | _ISalnum | _ISgraph | _ISprint,
	UPPER = _ISupper | _ISalpha | _ISalnum | _ISgraph | _ISprint,
	LOWER = _ISlower | _ISalpha | _ISalnum | _ISgraph | _ISprint,
	PUNCT = _ISpunct | _ISgraph | _ISprint,
};

// Tables start at character -128, so that a plain negative `char` is a valid index; all of those and EOF have no class.
#define AT(c) [128 + (c)]
#define RANGE(from, to) [128 + (from)... 128 + (to)]

static const unsigned short classes[384] = {
	RANGE(0, 8) = _IScntrl,
	AT('\t') = _IScntrl | _ISspace | _ISblank,
	RANGE('\n', '\r') = _IScntrl | _ISspace,
	RANGE(14, 31) = _IScntrl,
	AT(' ') = _ISprint | _ISspace | _ISblank,
	RANGE('!', '/') = PUNCT,
	RANGE('0', '9') = DIGIT,
	RANGE(':', '@') = PUNCT,
	RANGE('A', 'F') = UPPER | _ISxdigit,
	RANGE('G', 'Z') = UPPER,
	RANGE('[', '`') = PUNCT,
	RANGE('a', 'f') = LOWER | _ISxdigit,
	RANGE('g', 'z') = LOWER,
	RANGE('{', '~') = PUNCT,
	AT(127) = _IScntrl,
};

#define ONE(c) AT(c) = (c)
#define EIGHT(c) ONE(c), ONE(c + 1), ONE(c + 2), ONE(c + 3), ONE(c + 4), ONE(c + 5), ONE(c + 6), ONE(c + 7)
#define IDENTITY_32(c) EIGHT(c), EIGHT(c + 8), EIGHT(c + 16), EIGHT(c + 24)
#define HIGH(c) AT((c) - 256) = (c)
#define HIGH_8(c) HIGH(c), HIGH(c + 1), HIGH(c + 2), HIGH(c + 3), HIGH(c + 4), HIGH(c + 5), HIGH(c + 6), HIGH(c + 7)
#define HIGH_32(c) HIGH_8(c), HIGH_8(c + 8), HIGH_8(c + 16), HIGH_8(c + 24)
// Negative indices mean the same character as index + 256, except EOF, which maps to itself.
#define OTHER_CHARACTERS \
	HIGH_32(128), HIGH_32(160), HIGH_32(192), HIGH_8(224), HIGH_8(232), HIGH_8(240), HIGH(248), HIGH(249), HIGH(250), \
		HIGH(251), HIGH(252), HIGH(253), HIGH(254), AT(-1) = -1, IDENTITY_32(0), IDENTITY_32(32), IDENTITY_32(128), \
		IDENTITY_32(160), IDENTITY_32(192), IDENTITY_32(224)
#define LETTER(c, to) AT(c) = (to)
#define LETTERS_8(c, d) \
	LETTER(c, (c) + (d)), LETTER((c) + 1, (c) + 1 + (d)), LETTER((c) + 2, (c) + 2 + (d)), LETTER((c) + 3, (c) + 3 + (d)), \
		LETTER((c) + 4, (c) + 4 + (d)), LETTER((c) + 5, (c) + 5 + (d)), LETTER((c) + 6, (c) + 6 + (d)), \
		LETTER((c) + 7, (c) + 7 + (d))
// The block of 32 that begins one before 'A' or 'a': only its 26 letters move by `d`.
#define LETTER_BLOCK(first, d) \
	ONE((first) - 1), LETTERS_8(first, d), LETTERS_8((first) + 8, d), LETTERS_8((first) + 16, d), \
		LETTER((first) + 24, (first) + 24 + (d)), LETTER((first) + 25, (first) + 25 + (d)), ONE((first) + 26), \
		ONE((first) + 27), ONE((first) + 28), ONE((first) + 29), ONE((first) + 30)

static const int32_t to_lower[384] = { OTHER_CHARACTERS, LETTER_BLOCK('A', 32), LETTER_BLOCK('a', 0) };
static const int32_t to_upper[384] = { OTHER_CHARACTERS, LETTER_BLOCK('A', 0), LETTER_BLOCK('a', -32) };

// Constants, unlike glibc's per-thread pointers: reading them is never a shared access that matters.
static const unsigned short *const classes_of_zero = classes + 128;
static const int32_t *const lower_of_zero = to_lower + 128;
static const int32_t *const upper_of_zero = to_upper + 128;

API const unsigned short **__ctype_b_loc(void)
{
	return (const unsigned short **)&classes_of_zero;
}

API const int32_t **__ctype_tolower_loc(void)
{
	return (const int32_t **)&lower_of_zero;
}

API const int32_t **__ctype_toupper_loc(void)
{
	return (const int32_t **)&upper_of_zero;
}

static int between(int c, int first, int last)
{
	return c >= first && c <= last;
}

static int letter(int c)
{
	return between(c, 'a', 'z') || between(c, 'A', 'Z');
}

static int digit(int c)
{
	return between(c, '0', '9');
}

// Each class once, as a test over `c`; the _l forms take a locale, which can only be "C".
#define CLASS(name, bit, test) \
	API int name(int c) \
	{ \
		return (test) ? (bit) : 0; \
	} \
	API int name##_l(int c, locale_t locale) \
	{ \
		(void)locale; \
		return (test) ? (bit) : 0; \
	}

CLASS(isalnum, _ISalnum, letter(c) || digit(c))
CLASS(isalpha, _ISalpha, letter(c))
CLASS(isblank, _ISblank, c == ' ' || c == '\t')
CLASS(iscntrl, _IScntrl, between(c, 0, 31) || c == 127)
CLASS(isdigit, _ISdigit, digit(c))
CLASS(isgraph, _ISgraph, between(c, '!', '~'))
CLASS(islower, _ISlower, between(c, 'a', 'z'))
CLASS(isprint, _ISprint, between(c, ' ', '~'))
CLASS(ispunct, _ISpunct, between(c, '!', '~') && !letter(c) && !digit(c))
CLASS(isspace, _ISspace, c == ' ' || between(c, '\t', '\r'))
CLASS(isupper, _ISupper, between(c, 'A', 'Z'))
CLASS(isxdigit, _ISxdigit, digit(c) || between(c, 'a', 'f') || between(c, 'A', 'F'))

API int isascii(int c)
{
	return between(c, 0, 127);
}

API int toascii(int c)
{
	return c & 127;
}

// Like the tables, a negative character other than EOF comes back as 128..254.
static int same_character(int c)
{
	return between(c, -128, -2) ? c + 256 : c;
}

API int tolower(int c)
{
	return between(c, 'A', 'Z') ? c + 32 : same_character(c);
}

API int toupper(int c)
{
	return between(c, 'a', 'z') ? c - 32 : same_character(c);
}

API int tolower_l(int c, locale_t locale)
{
	(void)locale;
	return tolower(c);
}

API int toupper_l(int c, locale_t locale)
{
	(void)locale;
	return toupper(c);
}

API int _tolower(int c)
{
	return tolower(c);
}

API int _toupper(int c)
{
	return toupper(c);
}
