// ctype.h: all classes and both mappings over EOF and every character, as macros and as functions.
//@ native
#include <ctype.h>
#include <stdio.h>

static int (*const classes[])(int) = { isalnum, isalpha, isblank, iscntrl, isdigit, isgraph,
				       islower, isprint, ispunct, isspace, isupper, isxdigit };

int main(void)
{
	unsigned counts[12] = { 0 };
	for (int c = EOF; c < 256; c++) {
		unsigned bits = 0;
		for (int i = 0; i < 12; i++) {
			int is = classes[i](c) != 0;
			bits |= (unsigned)is << i;
			counts[i] += (unsigned)is;
		}
		unsigned macros = (isalnum(c) != 0) | (isalpha(c) != 0) << 1 | (isblank(c) != 0) << 2 | (iscntrl(c) != 0) << 3 |
				  (isdigit(c) != 0) << 4 | (isgraph(c) != 0) << 5 | (islower(c) != 0) << 6 | (isprint(c) != 0) << 7 |
				  (ispunct(c) != 0) << 8 | (isspace(c) != 0) << 9 | (isupper(c) != 0) << 10 | (isxdigit(c) != 0) << 11;
		if (c < 128 || bits)
			printf("%4d %03x %03x %d %d %s\n", c, bits, macros, tolower(c), toupper(c), bits == macros ? "" : "DIFFERENT");
		else if (tolower(c) != c || toupper(c) != c || macros)
			printf("%d is not neutral\n", c);
	}
	for (int i = 0; i < 12; i++)
		printf("%u ", counts[i]);
	printf("\n%d %d %d\n", isalpha('a'), isdigit('5'), isspace(' '));
	for (const char *s = "Hello, World! 123"; *s; s++)
		putchar(isupper((unsigned char)*s) ? tolower((unsigned char)*s) : toupper((unsigned char)*s));
	putchar('\n');
	return 0;
}
