// A matcher of regular expressions: letters, `.`, `*` and `?` behind one of them, `^` in front and `$` at the end. The expression becomes a row of
// items, and the match goes on with the set of all items that may come next, one letter of the text after the other.
//
// With PATTERN the expression is unknown, so many letters long, and is matched against `hello`; with TEXT the text is unknown, and the expression
// is `^a*b?.c$`. The numbers of paths were counted natively, by running all inputs and telling apart the basic blocks that
// they went through.
//@ check --cflag=-DPATTERN=1: safe executions=10 blocked=0
//@ check --cflag=-DPATTERN=2: safe executions=40 blocked=0
//@ check --cflag=-DPATTERN=3: safe executions=147 blocked=0
//@ check --cflag=-DTEXT=1: safe executions=4 blocked=0
//@ check --cflag=-DTEXT=2: safe executions=12 blocked=0
//@ check --cflag=-DTEXT=3: safe executions=27 blocked=0
#include <assert.h>
#include <gordian.h>

struct item {
    char letter;
    char any, may_repeat, may_miss;
};

struct expression {
    struct item items[16];
    int n, at_start, at_end;
};

/// Tells whether it is an expression.
static int read(const char *text, struct expression *result)
{
    result->n = result->at_start = result->at_end = 0;
    if (*text == '^') {
        result->at_start = 1;
        text++;
    }
    for (; *text; text++) {
        struct item *last = result->n ? &result->items[result->n - 1] : 0;
        switch (*text) {
        case '*':
        case '?':
            if (!last || last->may_miss)
                return 0;
            last->may_miss = 1;
            last->may_repeat = *text == '*';
            break;
        case '$':
            if (text[1])
                return 0;
            result->at_end = 1;
            break;
        default:
            result->items[result->n++] = (struct item){*text, *text == '.', 0, 0};
        }
    }
    return 1;
}

/// Those items that may come next if these may: an item that may be missing lets pass.
static unsigned reachable(const struct expression *expression, unsigned next)
{
    for (int i = 0; i < expression->n; i++)
        if (next >> i & 1 && expression->items[i].may_miss)
            next |= 2u << i;
    return next;
}

static int matches(const struct expression *expression, const char *text)
{
    unsigned end = 1u << expression->n, next = reachable(expression, 1);
    for (;; text++) {
        if (next & end && (!expression->at_end || !*text))
            return 1;
        if (!*text)
            return 0;
        unsigned after = expression->at_start ? 0 : 1;
        for (int i = 0; i < expression->n; i++) {
            const struct item *item = &expression->items[i];
            if (next >> i & 1 && (item->any || item->letter == *text))
                after |= (2u | (item->may_repeat ? 1u : 0)) << i;
        }
        next = reachable(expression, after);
        if (!next)
            return 0;
    }
}

int main(void)
{
    struct expression expression;
#ifdef PATTERN
    char pattern[PATTERN + 1];
    gordian_symbolic(pattern, PATTERN, "pattern");
    pattern[PATTERN] = 0;
    if (!read(pattern, &expression))
        return 2;
    return matches(&expression, "hello");
#else
#ifndef TEXT
#define TEXT 3
#endif
    char text[TEXT + 1];
    gordian_symbolic(text, TEXT, "text");
    text[TEXT] = 0;
    assert(read("^a*b?.c$", &expression));
    int found = matches(&expression, text);
    assert(!found || text[0]);
    return found;
#endif
}
