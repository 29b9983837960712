// A recursive descent parser and evaluator of expressions with variables, functions, errors with their position.
//@ native
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text, *at;
static jmp_buf failure;
static const char *problem;
static double variables[26];

static void fail(const char *why)
{
	problem = why;
	longjmp(failure, 1);
}

static char peek(void)
{
	while (isspace((unsigned char)*at))
		at++;
	return *at;
}

static int accept(char c)
{
	if (peek() != c)
		return 0;
	at++;
	return 1;
}

static double expression(void);

static double call(const char *name, size_t length)
{
	static const struct {
		const char *name;
		double (*apply)(double);
	} functions[] = { { "sqrt", sqrt }, { "abs", fabs }, { "floor", floor } };
	double argument = expression();
	if (!accept(')'))
		fail("expected ')'");
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strlen(functions[i].name) == length && !strncmp(functions[i].name, name, length))
			return functions[i].apply(argument);
	fail("unknown function");
	return 0;
}

static double primary(void)
{
	char c = peek();
	if (accept('(')) {
		double value = expression();
		if (!accept(')'))
			fail("expected ')'");
		return value;
	}
	if (isdigit((unsigned char)c) || c == '.') {
		char *end;
		double value = strtod(at, &end);
		at = end;
		return value;
	}
	if (isalpha((unsigned char)c)) {
		const char *name = at;
		while (isalnum((unsigned char)*at))
			at++;
		size_t length = (size_t)(at - name);
		if (accept('('))
			return call(name, length);
		if (length != 1 || !islower((unsigned char)c))
			fail("unknown name");
		if (peek() == '=' && at[1] != '=') {
			at++;
			return variables[c - 'a'] = expression();
		}
		return variables[c - 'a'];
	}
	fail(c ? "unexpected character" : "unexpected end");
	return 0;
}

static double power(void)
{
	if (accept('-'))
		return -power();
	double base = primary();
	return accept('^') ? pow(base, power()) : base;
}

static double term(void)
{
	double value = power();
	for (;;) {
		if (accept('*')) {
			value *= power();
		} else if (accept('/')) {
			double divisor = power();
			if (divisor == 0)
				fail("division by zero");
			value /= divisor;
		} else {
			return value;
		}
	}
}

static double expression(void)
{
	double value = term();
	for (;;) {
		if (accept('+'))
			value += term();
		else if (accept('-'))
			value -= term();
		else
			return value;
	}
}

int main(void)
{
	static const char *const inputs[] = { "1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "-2 ^ 2", "10 / 4 - 1", "x = 5", "y = x * x + 0.5e1", "sqrt(y + 6) - x",
					      "abs(-3.5) * floor(2.9)", "1 +", "(1", "1 / (2 - 2)", "foo(1)", "3 $ 4", "", "bar", "1e400 - 1" };
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		text = at = inputs[i];
		if (setjmp(failure)) {
			printf("%s: %s at %td\n", text, problem, at - text);
			continue;
		}
		double value = expression();
		if (peek())
			fail("trailing text");
		printf("%s = %.10g\n", text, value);
	}
	return 0;
}
