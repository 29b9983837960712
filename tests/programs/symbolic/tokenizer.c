// Words, numbers, strings, spaces and operators out of LENGTH unknown characters. The numbers of paths were counted natively, by running all inputs
// and telling apart the basic blocks that they went through.
//@ check --cflag=-DLENGTH=1: safe executions=12 blocked=0
//@ check --cflag=-DLENGTH=2: safe executions=92 blocked=0
//@ check --cflag=-DLENGTH=3: safe executions=676 blocked=0
#include <assert.h>
#include <gordian.h>

#ifndef LENGTH
#define LENGTH 2
#endif

enum kind { END, WORD, NUMBER, STRING, OPERATOR, BAD };

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum kind next(const char **at)
{
    while (**at == ' ' || **at == '\n')
        ++*at;
    char first = **at;
    if (!first)
        return END;
    ++*at;
    if (is_letter(first)) {
        while (is_letter(**at) || is_digit(**at))
            ++*at;
        return WORD;
    }
    if (is_digit(first)) {
        while (is_digit(**at))
            ++*at;
        return NUMBER;
    }
    switch (first) {
    case '"':
        while (**at && **at != '"')
            ++*at;
        if (!**at)
            return BAD;
        ++*at;
        return STRING;
    case '<':
    case '=':
        if (**at == '=')
            ++*at;
        return OPERATOR;
    case '+':
    case '-':
    case '(':
    case ')':
        return OPERATOR;
    default:
        return BAD;
    }
}

int main(void)
{
    char text[LENGTH + 1];
    const char *at = text;
    int n = 0;
    gordian_symbolic(text, LENGTH, "text");
    text[LENGTH] = 0;
    for (;;) {
        const char *before = at;
        enum kind kind = next(&at);
        assert(at <= text + LENGTH);
        if (kind == END)
            break;
        assert(at > before);
        if (kind == BAD)
            return 1;
        n++;
    }
    assert(n <= LENGTH);
    return 0;
}
