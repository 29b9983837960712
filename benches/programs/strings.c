// Numbers written as text into a buffer and read back: calls of small functions, bytes, divisions.
enum { SIZE = 64, COUNT = 20000 };

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = 0;
    return to;
}

static char *append_number(char *to, unsigned number)
{
    char digits[12];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n > 0)
        *to++ = digits[--n];
    *to = 0;
    return to;
}

static unsigned parse(const char *text)
{
    unsigned number = 0;
    for (; *text; text++)
        if (*text >= '0' && *text <= '9')
            number = number * 10 + (unsigned)(*text - '0');
    return number;
}

int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        char buffer[SIZE];
        char *end = append(buffer, "item ");
        end = append_number(end, i * 7919);
        append(end, " of the list");
        sum = sum * 33 + parse(buffer);
    }
    return (int)(sum % 101);
}
