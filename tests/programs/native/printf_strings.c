// printf family: %s and %c, and snprintf, vsnprintf, sprintf, puts, putchar and their results when they truncate.
//@ native
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int format(char *out, size_t size, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(out, size, fmt, args);
	va_end(args);
	return n;
}

int main(void)
{
	const char *word = "determinism";
	printf("[%s] [%20s] [%-20s] [%.4s] [%20.4s] [%-20.4s] [%.0s] [%.99s]\n", word, word, word, word, word, word, word, word);
	printf("[%.*s] [%*s] [%-*s|]\n", 3, word, 14, word, 14, word);
	char unterminated[3] = { 'a', 'b', 'c' };
	printf("[%.3s] [%c%c%c]\n", unterminated, unterminated[0], unterminated[1], unterminated[2]);
	printf("[%p]\n", (void *)0);

	char out[16];
	for (size_t size = 0; size <= sizeof out; size += 3) {
		memset(out, '#', sizeof out);
		int n = snprintf(size ? out : NULL, size, "%s=%d", "value", 123456);
		printf("%zu %d [%.*s]", size, n, (int)sizeof out, size ? out : "");
		printf(" %c\n", out[15]);
	}
	int n = format(out, sizeof out, "%5.1f|%-3d|%c", 2.25, 7, 'q');
	printf("%d [%s]\n", n, out);
	n = format(out, 5, "%s", "too long for it");
	printf("%d [%s]\n", n, out);
	n = sprintf(out, "%02d:%02d:%02d", 1, 2, 3);
	printf("%d [%s]\n", n, out);
	n = snprintf(NULL, 0, "%d %s %g", 1, "two", 3.0);
	printf("%d\n", n);

	puts("puts adds a newline");
	putchar('p');
	putc('c', stdout);
	fputc('\n', stdout);
	fputs("fputs does not\n", stdout);
	fprintf(stdout, "%s %s %s %d %s\n", "many", "string", "arguments", 4, "you");
	fwrite("bytes\0inside\n", 1, 13, stdout);
	printf("%s", "");
	printf("%d%d%d%d%d%d%d%d%d%d %g %g %g %g %g %g %g %g %g %g\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1.);
	return 0;
}
