// A string literal may not be written.
//@ check --strategy exhaustive: bug out-of-bounds
static void capitalise(char *text)
{
    text[0] = (char)(text[0] - 'a' + 'A'); //~ BUG out-of-bounds
}

int main(void)
{
    capitalise((char *)"hello");
    return 0;
}
