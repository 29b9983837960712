// A tokenizer of a C-like language read from standard input: identifiers, numbers, strings with escapes, operators, comments.
//@ native
//@ stdin: "int main(void) {\n\tchar *s = \"a\\tb\\\"c\";  // comment\n\tx += 0x1F << 2; /* block\n comment */ y = 3.14e-2 >= z->q ? 'c' : @;\n}\n"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum token { END, WORD, KEYWORD, NUMBER, STRING, CHARACTER, OPERATOR, ERROR, N_TOKENS };
static const char *const names[] = { "end", "word", "keyword", "number", "string", "character", "operator", "error" };
static const char *const keywords[] = { "char", "int", "return", "void", "while" };
static const char *const operators[] = { "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=" };

static char *source;
static const char *p;
static int line = 1;

static int by_name(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static void skip_blanks(void)
{
	for (;;) {
		if (isspace((unsigned char)*p)) {
			line += *p++ == '\n';
		} else if (p[0] == '/' && p[1] == '/') {
			p += strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*') {
			const char *end = strstr(p + 2, "*/");
			for (; p < end; p++)
				line += *p == '\n';
			p = end + 2;
		} else {
			return;
		}
	}
}

static enum token quoted(char quote, char *out)
{
	for (p++; *p && *p != quote; p++) {
		if (*p == '\\') {
			static const char letters[] = "ntr", meanings[] = "\n\t\r";
			const char *escape = strchr(letters, *++p);
			*out++ = escape ? meanings[escape - letters] : *p;
		} else {
			*out++ = *p;
		}
	}
	*out = 0;
	if (!*p)
		return ERROR;
	p++;
	return quote == '"' ? STRING : CHARACTER;
}

static enum token next(char *out)
{
	skip_blanks();
	size_t n = 0;
	*out = 0;
	if (!*p)
		return END;
	if (*p == '"' || *p == '\'')
		return quoted(*p, out);
	enum token kind = OPERATOR;
	if (isalpha((unsigned char)*p) || *p == '_') {
		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		kind = WORD;
	} else if (isdigit((unsigned char)*p)) {
		char *end;
		if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			strtoul(p, &end, 16);
		else
			strtod(p, &end);
		n = (size_t)(end - p);
		kind = NUMBER;
	} else {
		for (size_t i = 0; i < sizeof operators / sizeof *operators && !n; i++)
			if (!strncmp(p, operators[i], strlen(operators[i])))
				n = strlen(operators[i]);
		if (!n) {
			n = 1;
			kind = strchr("+-*/%=<>!&|^~?:;,.(){}[]", *p) ? OPERATOR : ERROR;
		}
	}
	memcpy(out, p, n);
	out[n] = 0;
	p += n;
	if (kind == WORD && bsearch(out, keywords, 5, sizeof *keywords, by_name))
		kind = KEYWORD;
	return kind;
}

int main(void)
{
	size_t length = 0, capacity = 16;
	source = malloc(capacity);
	int c, counts[N_TOKENS] = { 0 };
	while ((c = getchar()) != EOF) {
		if (length + 1 == capacity)
			source = realloc(source, capacity *= 2);
		source[length++] = (char)c;
	}
	source[length] = 0;
	p = source;
	char out[64];
	enum token kind;
	while ((kind = next(out)) != END) {
		counts[kind]++;
		printf("%d %s [%s]\n", line, names[kind], out);
	}
	for (int i = 0; i < N_TOKENS; i++)
		printf("%s %d\n", names[i], counts[i]);
	free(source);
	return counts[ERROR];
}
